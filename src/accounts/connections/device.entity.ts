import { Entity, ForeignKey } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

/**
 * A device upstream could name; `device_id` is what a record's source refers to (docs/upstream/connections.md#devices).
 */
@Entity('devices')
export class DeviceEntity {
  @ForeignKey(() => AccountEntity, { name: 'devices_account' })
  @IntKey()
  account_id: number;
  /** Two people who share a device each have it. */
  @TextKey() device_id: string;
  @TextColumn() provider: string;
  @TextColumn({ nullable: true }) source_type: string | null;
  @TextColumn({ nullable: true }) manufacturer: string | null;
  @TextColumn({ nullable: true }) model: string | null;
  @TextColumn({ nullable: true }) version: string | null;
  @IntColumn() observed_at: number;
  /** The first complete list without it; null while it is listed. */
  @IntColumn({ nullable: true }) missed_at: number | null;
  /** A second one without it: upstream no longer has the device. */
  @IntColumn({ nullable: true }) gone_at: number | null;
}
