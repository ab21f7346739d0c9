import type { Ids } from '../engine/random.js';
import type { Settings } from '../engine/settings.js';
import type { Timeline } from '../engine/timeline.js';
import { DAY, formatTime } from '../engine/times.js';
import { type ProviderFace, providerFace } from '../facts/providers.js';
import { invalid, type Wording } from '../http/answers.js';
import type { Connection, User } from './user.js';

export interface UserFields {
  client_user_id: string;
  fallback_time_zone?: string | null;
  fallback_birth_date?: string | null;
  ingestion_start?: string | null;
  ingestion_end?: string | null;
}

const GRACE_MS = 7 * DAY;
/** Observed in the sandbox if a start is set without an end (docs/upstream/users.md#ingestion-bounds). */
const NO_END = '0001-01-01';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Upstream's users: created once per client id, deleted with seven days of grace (docs/upstream/users.md). */
export class Users {
  private users = new Map<string, User>();
  private liveByClientId = new Map<string, User>();

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly wording: Wording,
    private readonly settings: Settings,
    private readonly teamId: string,
  ) {}

  /** For a restart (state.ts). */
  keep(): Map<string, User> {
    return this.users;
  }

  restore(kept: Map<string, User>): void {
    this.users = kept;
    this.liveByClientId = new Map(this.live().map((user) => [user.client_user_id, user]));
  }

  create(fields: UserFields): User {
    const existing = this.findByClientId(fields.client_user_id);
    if (existing !== undefined) {
      const { user_id, createdAt } = existing;
      throw this.wording.typed(400, 'conflict', { user_id, created_on: formatTime(createdAt) });
    }
    if (this.settings.user_limit !== null && this.liveByClientId.size >= this.settings.user_limit) {
      throw this.wording.typed(400, 'limit');
    }
    const user: User = {
      user_id: this.ids.uuid('user', fields.client_user_id),
      client_user_id: fields.client_user_id,
      createdAt: this.timeline.now(),
      timeZone: null,
      birthDate: null,
      ingestionStart: null,
      ingestionEnd: null,
      deletedAt: null,
      connections: new Map(),
      onPhone: new Map(),
      refreshes: [],
    };
    this.write(user, fields);
    this.users.set(user.user_id, user);
    this.liveByClientId.set(user.client_user_id, user);
    return user;
  }

  update(userId: string, fields: Partial<UserFields>): void {
    const user = this.get(userId);
    if (Object.keys(fields).length === 0) throw this.wording.plain(400, 'empty_patch');
    const other = fields.client_user_id === undefined ? undefined : this.findByClientId(fields.client_user_id);
    if (other !== undefined && other !== user) throw this.wording.plain(409, 'taken');
    this.write(user, fields);
    if (fields.client_user_id === undefined) return;
    this.liveByClientId.delete(user.client_user_id);
    user.client_user_id = fields.client_user_id;
    this.liveByClientId.set(user.client_user_id, user);
  }

  /** Connections end immediately; requests for the user return 404 from now on. */
  delete(userId: string): void {
    const user = this.get(userId);
    user.deletedAt = this.timeline.now();
    this.liveByClientId.delete(user.client_user_id);
    user.connections.clear();
  }

  undoDelete(by: { user_id?: string; client_user_id?: string }): void {
    const found = [...this.users.values()]
      .filter((user) => user.user_id === by.user_id || user.client_user_id === by.client_user_id)
      .filter((user) => user.deletedAt !== null)
      .sort((a, b) => (b.deletedAt ?? 0) - (a.deletedAt ?? 0))[0];
    if (found === undefined || this.timeline.now() - (found.deletedAt ?? 0) > GRACE_MS) {
      throw this.wording.plain(404, 'restore');
    }
    if (this.findByClientId(found.client_user_id) !== undefined) throw this.wording.plain(409, 'restore');
    found.deletedAt = null;
    this.liveByClientId.set(found.client_user_id, found);
  }

  /** Deletes a user immediately and without an event, like an expired demo user. */
  erase(userId: string): boolean {
    const user = this.find(userId);
    if (user === undefined) return false;
    this.liveByClientId.delete(user.client_user_id);
    return this.users.delete(user.user_id);
  }

  find(userId: string): User | undefined {
    const user = this.users.get(userId.toLowerCase());
    return user === undefined || user.deletedAt !== null ? undefined : user;
  }

  /** Throws upstream's 404 for a user that is unknown or is waiting for deletion. */
  get(userId: string): User {
    const user = this.find(userId);
    if (user === undefined) throw this.wording.plain(404, 'user');
    return user;
  }

  findByClientId(clientUserId: string): User | undefined {
    return this.liveByClientId.get(clientUserId);
  }

  live(): User[] {
    return [...this.users.values()].filter((user) => user.deletedAt === null);
  }

  /** The User object (docs/upstream/users.md#the-user-object). */
  toWire(user: User): Record<string, unknown> {
    const { timeZone, birthDate } = user;
    return {
      user_id: user.user_id,
      team_id: this.teamId,
      client_user_id: user.client_user_id,
      created_on: formatTime(user.createdAt),
      connected_sources: [...user.connections.values()].map((connection) => this.connectedSource(connection)),
      fallback_time_zone: timeZone && {
        id: timeZone.value,
        source_slug: 'manual',
        updated_at: formatTime(timeZone.updatedAt),
      },
      fallback_birth_date: birthDate && {
        value: birthDate.value,
        source_slug: 'manual',
        updated_at: formatTime(birthDate.updatedAt),
      },
      ingestion_start: user.ingestionStart,
      ingestion_end: user.ingestionEnd ?? (user.ingestionStart === null ? null : NO_END),
    };
  }

  private connectedSource(connection: Connection): Record<string, unknown> {
    const source: ProviderFace = providerFace(connection.provider);
    const created_on = formatTime(connection.createdAt);
    return this.settings.source_only ? { source, created_on } : { provider: source, source, created_on };
  }

  private write(user: User, fields: Partial<UserFields>): void {
    const updatedAt = this.timeline.now();
    const { fallback_time_zone: zone, fallback_birth_date: birth } = fields;
    if (typeof zone === 'string' && !isTimeZone(zone))
      throw invalid(['body', 'fallback_time_zone'], 'Unknown time zone');
    if (zone !== undefined) user.timeZone = zone === null ? null : { value: zone, updatedAt };
    if (birth !== undefined) user.birthDate = birth === null ? null : { value: birth, updatedAt };
    if (fields.ingestion_start !== undefined) user.ingestionStart = fields.ingestion_start;
    if (fields.ingestion_end !== undefined) user.ingestionEnd = fields.ingestion_end;
  }
}
