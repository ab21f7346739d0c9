import { Entity, ForeignKey, Index } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

/** A source an account is connected to. `status` is upstream's open word: connected, error, paused, ... */
@Entity('connections')
@Index('connections_provider_status', ['provider', 'status'])
export class ConnectionEntity {
  @ForeignKey(() => AccountEntity, { name: 'connections_account' })
  @IntKey()
  account_id: number;
  @TextKey() provider: string;
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) error_type: string | null;
  @IntColumn({ nullable: true }) error_at: number | null;
  @IntColumn({ nullable: true }) connected_at: number | null;
  /** JSON map of resource name to availability, as upstream sent it. */
  @TextColumn({ nullable: true }) resource_availability: string | null;
  @IntColumn() observed_at: number;
}
