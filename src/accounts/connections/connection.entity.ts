import { Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountColumn } from '../accounts/account.entity.js';

/** A source of an account. `status` is upstream's word, which may be new: connected, error, paused, ... */
@Entity('connections')
@Index('connections_provider_status', ['provider', 'status'])
@Index('connections_status', ['status', 'account_id', 'provider'])
@Index('connections_other_account', ['account_id'], { where: 'other_account_at IS NOT NULL' })
export class ConnectionEntity {
  @AccountColumn('connections_account', IntKey()) account_id: number;
  @TextKey() provider: string;
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) error_type: string | null;
  @IntColumn({ nullable: true }) error_at: number | null;
  @IntColumn({ nullable: true }) connected_at: number | null;
  /** JSON map of resource name to availability, as upstream sent it. */
  @TextColumn({ nullable: true }) resource_availability: string | null;
  @IntColumn() observed_at: number;
  /**
   * Digest of the account at the provider (`external_user_id`, which may be an e-mail address); null until upstream
   * reported one.
   */
  @TextColumn({ nullable: true }) person_mark: string | null;
  /** When another account at the provider took the place of the one before; null if none did. */
  @IntColumn({ nullable: true }) other_account_at: number | null;
  /**
   * Of a source of a retired provider that ended, for whatever reason, after its successor was connected. During the
   * overlap both delivered the same data, which upstream does not deduplicate
   * (docs/upstream/connections.md#retired-providers).
   */
  @TextColumn({ nullable: true }) successor: string | null;
  /** When the successor was connected. */
  @IntColumn({ nullable: true }) overlap_start: number | null;
  /** When the source failed, or was found to be disconnected. */
  @IntColumn({ nullable: true }) overlap_end: number | null;
}

/** `error_type` of a change of which only the account at the provider is new. */
export const otherAccount = 'other_account';

/** A change of a connection's status. The connection itself has only its latest status. */
@Entity('connection_changes')
@Index('connection_changes_account_at', ['account_id', 'at', 'id'])
export class ConnectionChangeEntity {
  @AutoIncrementKey() id: number;
  @AccountColumn('connection_changes_account') account_id: number;
  @TextColumn() provider: string;
  /** Upstream's word, which may be new. */
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) error_type: string | null;
  /** When it was observed, in epoch milliseconds. */
  @IntColumn() at: number;
  /**
   * Earliest time at which the status may have begun: upstream's time of an error; for a source that is paused or gone,
   * when it was last seen before.
   */
  @IntColumn() since: number;
  /** Who disconnected it here: `person`, or `key:` and the name of the key; null if upstream reported the change. */
  @TextColumn({ nullable: true }) asked_by: string | null;
}

/**
 * A device as upstream lists it. The source of a record refers to its `device_id`
 * (docs/upstream/connections.md#devices).
 */
@Entity('devices')
export class DeviceEntity {
  @AccountColumn('devices_account', IntKey()) account_id: number;
  /** Unique per account only: people who share a device each have a row. */
  @TextKey() device_id: string;
  @TextColumn() provider: string;
  @TextColumn({ nullable: true }) source_type: string | null;
  @TextColumn({ nullable: true }) manufacturer: string | null;
  @TextColumn({ nullable: true }) model: string | null;
  @TextColumn({ nullable: true }) version: string | null;
  @IntColumn() observed_at: number;
  /** Time of the first complete list without it; null while it is listed. */
  @IntColumn({ nullable: true }) missed_at: number | null;
  /** Time of a second such list, after which the device counts as gone; null before. */
  @IntColumn({ nullable: true }) gone_at: number | null;
}
