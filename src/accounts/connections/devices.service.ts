import { Injectable } from '@nestjs/common';
import type { Tx } from '../../storage/database/tx.js';
import type { WireDevice, WireDevices } from '../../upstream/client/wire-users.js';
import type { DeviceEntity } from './connection.entity.js';
import { ConnectionsRepository, type SeenDevice } from './connections.repository.js';

export type Device = DeviceEntity;

export interface DeviceLook {
  readonly observedAt: number;
  readonly confirmMs: number;
  readonly judges: (provider: string) => boolean;
}

/** Stores the devices of accounts. */
@Injectable()
export class DevicesService {
  constructor(private readonly connections: ConnectionsRepository) {}

  /** Stores a device from an event. True if the device is gone from upstream's list, which an event does not change. */
  async record(tx: Tx, accountId: number, device: WireDevice, observedAt: number): Promise<boolean> {
    await this.connections.upsertDevice(tx, deviceOf(accountId, device, observedAt));
    return this.connections.isDeviceGone(tx, accountId, device.id);
  }

  /**
   * Applies upstream's list of devices (docs/upstream/connections.md#devices), requested at `observedAt`. A device
   * missing from two complete lists, at least `confirmMs` apart, is gone but stays stored. A listed device is no longer
   * gone. `judges` is false for providers whose devices are never marked as gone.
   */
  async reconcile(
    tx: Tx,
    accountId: number,
    { listed, isComplete }: WireDevices,
    { observedAt, confirmMs, judges }: DeviceLook,
  ): Promise<void> {
    await tx.lock('account', accountId);
    for (const device of listed) {
      await this.connections.upsertDevice(tx, deviceOf(accountId, device, observedAt));
      await this.connections.markDevice(tx, accountId, device.id, { missed_at: null, gone_at: null });
    }
    if (!isComplete) return;
    const shown = new Set(listed.map(({ id }) => id));
    for (const device of await this.connections.devicesIn(tx, accountId)) {
      const { device_id, provider, observed_at, missed_at, gone_at } = device;
      if (shown.has(device_id) || !judges(provider) || gone_at !== null || observed_at >= observedAt) continue;
      if (missed_at === null || missed_at < observed_at) {
        await this.connections.markDevice(tx, accountId, device_id, { missed_at: observedAt, gone_at: null });
      } else if (observedAt - missed_at >= confirmMs) {
        await this.connections.markDevice(tx, accountId, device_id, { missed_at, gone_at: observedAt });
      }
    }
  }

  list(accountId: number): Promise<Device[]> {
    return this.connections.listDevices(accountId);
  }
}

function deviceOf(accountId: number, device: WireDevice, observedAt: number): SeenDevice {
  return {
    device_id: device.id,
    account_id: accountId,
    provider: device.provider,
    source_type: device.source_type,
    manufacturer: device.device_manufacturer,
    model: device.device_model,
    version: device.device_version,
    observed_at: observedAt,
  };
}
