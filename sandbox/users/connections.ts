/**
 * Connections of users to providers, and the devices behind them.
 *
 * connected -> error      the provider refused upstream; no further pulls until the user connects again
 * connected -> paused     seven days after the end of ingestion (docs/upstream/users.md#ingestion-bounds); no event
 * any       -> (removed)  deregistered, or the user was deleted; its data stays
 * (removed) -> connected  by the next sync of the phone, if the SDK connects its providers automatically
 */
import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY, formatTime } from '../engine/times.js';
import { isPhoneProvider, providerFace, sourceTypesOf } from '../facts/providers.js';
import type { Wording } from '../http/answers.js';
import type { Events } from '../webhooks/events.js';
import type { Connection, HistoryOptions, User } from './user.js';

export interface Device {
  id: string;
  user_id: string;
  provider: string;
  source_type: string;
  app_id: string | null;
  device_manufacturer: string | null;
  device_model: string | null;
  device_version: string | null;
  device_id: string | null;
}

export interface ConnectOptions {
  resources: string[];
  denied?: string[];
  externalUserId?: string;
  devices?: boolean;
  demo?: boolean;
  history?: HistoryOptions;
  notify?: boolean;
}

/** Until seven days after the last day of ingestion. */
const PAUSED_AFTER = 8 * DAY;

export class Connections {
  private devices = new Map<string, Device[]>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly events: Events,
    private readonly wording: Wording,
  ) {}

  /** For a restart (state.ts): the devices, because connections are kept with their users. */
  keep(): Map<string, Device[]> {
    return this.devices;
  }

  restore(kept: Map<string, Device[]>): void {
    this.devices = kept;
  }

  /** Connects or reconnects; fires `provider.connection.created` and a device event. */
  connect(user: User, provider: string, options: ConnectOptions): Connection {
    const connection: Connection = {
      provider,
      createdAt: this.timeline.now(),
      status: 'connected',
      externalUserId: isPhoneProvider(provider) ? null : (options.externalUserId ?? `ext-${user.user_id.slice(0, 8)}`),
      error: null,
      resources: options.resources,
      denied: options.denied ?? [],
      demo: options.demo ?? false,
      history: options.history ?? null,
    };
    user.connections.set(provider, connection);
    if (options.notify !== false) this.announce(user, connection);
    if (options.devices !== false) this.ensureDevice(user, provider, sourceTypesOf(provider)[0] ?? 'unknown');
    return connection;
  }

  /**
   * The provider refuses access: status `error` and `provider.connection.error`
   * (docs/upstream/connections.md#connection-errors).
   */
  break(user: User, provider: string, fault: { type: string; message: string }): void {
    const connection = this.get(user, provider);
    connection.status = 'error';
    connection.error = { ...fault, at: this.timeline.now() };
    this.events.emit('provider.connection.error', user, {
      user_id: user.user_id,
      provider,
      error_type: fault.type,
      message: fault.message,
      error_details: fault.message,
    });
  }

  /** docs/upstream/connections.md#deregister */
  deregister(user: User, provider: string): void {
    const connection = this.get(user, provider);
    user.connections.delete(provider);
    if (isPhoneProvider(provider)) user.onPhone.set(provider, connection);
  }

  /** Syncs the phone. True if that reconnected a deregistered provider. */
  syncPhone(user: User, provider: string): boolean {
    const former = user.onPhone.get(provider);
    if (former === undefined || user.connections.has(provider)) return false;
    user.onPhone.delete(provider);
    this.connect(user, provider, {
      ...{ resources: former.resources, denied: [...former.denied], demo: former.demo },
      ...(former.history && { history: former.history }),
    });
    return true;
  }

  get(user: User, provider: string): Connection {
    const connection = user.connections.get(provider);
    if (connection === undefined) throw this.wording.plain(404, 'connection');
    return connection;
  }

  devicesOf(userId: string): Device[] {
    return this.devices.get(userId) ?? [];
  }

  /** Adds the device of this provider and source type, or changes its model; fires the device event. */
  addDevice(user: User, options: { provider: string; source_type: string; model?: string; notify?: boolean }): Device {
    const known = this.findDevice(user.user_id, options.provider, options.source_type);
    const device = known ?? this.makeDevice(user, options.provider, options.source_type);
    if (options.model !== undefined) device.device_model = options.model;
    const what = known === undefined ? 'created' : 'updated';
    if (options.notify !== false) this.events.emit(`provider.device.${what}`, user, { ...device });
    return device;
  }

  /** A device disappears without an event; false if there is none. */
  removeDevice(userId: string, id: string): boolean {
    const left = this.devicesOf(userId).filter((device) => device.id !== id);
    const found = left.length < this.devicesOf(userId).length;
    this.devices.set(userId, left);
    return found;
  }

  findDevice(userId: string, provider: string, sourceType: string): Device | undefined {
    return this.devicesOf(userId).find((row) => row.provider === provider && row.source_type === sourceType);
  }

  /** The list of `GET /v2/user/providers/{user_id}`. */
  list(user: User): Record<string, unknown>[] {
    const over = user.ingestionEnd === null ? Infinity : Date.parse(user.ingestionEnd) + PAUSED_AFTER;
    const connections = [...user.connections.values()];
    if (this.timeline.now() >= over) for (const connection of connections) connection.status = 'paused';
    return connections.map((connection) => this.toWire(connection));
  }

  /** One connection as the list shows it. */
  toWire(connection: Connection): Record<string, unknown> {
    const { error } = connection;
    return {
      ...providerFace(connection.provider),
      created_on: formatTime(connection.createdAt),
      status: connection.status,
      external_user_id: connection.externalUserId,
      resource_availability: this.availability(connection),
      error_details: error && {
        error_type: error.type,
        error_message: error.message,
        errored_at: formatTime(error.at),
      },
    };
  }

  private ensureDevice(user: User, provider: string, sourceType: string): void {
    if (this.findDevice(user.user_id, provider, sourceType) === undefined) {
      this.addDevice(user, { provider, source_type: sourceType });
    }
  }

  private makeDevice(user: User, provider: string, sourceType: string): Device {
    const device: Device = {
      id: this.ids.uuid('device', user.user_id, provider, sourceType),
      user_id: user.user_id,
      provider,
      source_type: sourceType,
      app_id: null,
      device_manufacturer: providerFace(provider).name,
      device_model: `${sourceType}-1`,
      device_version: '1.0',
      device_id: null,
    };
    this.devices.set(user.user_id, [...this.devicesOf(user.user_id), device]);
    return device;
  }

  private announce(user: User, connection: Connection): void {
    const face = providerFace(connection.provider);
    this.events.emit('provider.connection.created', user, {
      user_id: user.user_id,
      provider: face,
      source: face,
      external_user_id: connection.externalUserId,
      resource_availability: this.availability(connection),
    });
  }

  private availability(connection: Connection): Record<string, unknown> {
    const none = { required: [], optional: [] };
    const isPhone = isPhoneProvider(connection.provider);
    return Object.fromEntries(
      connection.resources.map((resource) => {
        const isDenied = connection.denied.includes(resource);
        const user_denied = isDenied ? { required: [`read:${resource}`], optional: [] } : none;
        const scope_requirements = isPhone ? null : { user_granted: none, user_denied };
        return [resource, { status: isDenied ? 'unavailable' : 'available', scope_requirements }];
      }),
    );
  }
}
