import { Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, TextColumn } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

/** That a source came to be connected, in error, paused or gone; the connection itself keeps its latest state alone. */
@Entity('connection_changes')
@Index('connection_changes_account_at', ['account_id', 'at', 'id'])
export class ConnectionChangeEntity {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountEntity, { name: 'connection_changes_account' })
  @IntColumn()
  account_id: number;
  @TextColumn() provider: string;
  /** Upstream's open word. */
  @TextColumn() status: string;
  @TextColumn({ nullable: true }) error_type: string | null;
  /** When it was observed, in epoch milliseconds. */
  @IntColumn() at: number;
  /**
   * When the state began at the earliest: upstream's time of an error, and for a source that is paused or gone when it
   * was last seen connected.
   */
  @IntColumn() since: number;
  /** Who disconnected it here: `person`, or `key:` and the name of the key; null if upstream reported the change. */
  @TextColumn({ nullable: true }) asked_by: string | null;
}
