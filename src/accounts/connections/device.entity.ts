import { Entity, ForeignKey, Index } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

/**
 * A device upstream could name; `device_id` is what a record's source refers to (docs/upstream/connections.md#devices).
 */
@Entity('devices')
@Index('devices_account_id', ['account_id'])
export class DeviceEntity {
  @TextKey() device_id: string;
  @ForeignKey(() => AccountEntity, { name: 'devices_account' })
  @IntColumn()
  account_id: number;
  @TextColumn() provider: string;
  @TextColumn({ nullable: true }) source_type: string | null;
  @TextColumn({ nullable: true }) manufacturer: string | null;
  @TextColumn({ nullable: true }) model: string | null;
  @TextColumn({ nullable: true }) version: string | null;
  @IntColumn() observed_at: number;
}
