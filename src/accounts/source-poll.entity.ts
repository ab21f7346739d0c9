import { Entity, ForeignKey, Index } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../database/columns.js';
import { AccountEntity } from './account.entity.js';

/** When to poll an account's connections and historical pulls next; there is no event for every change of them. */
@Entity('source_polls')
@Index('source_polls_due', ['due_at'], { where: 'due_at IS NOT NULL' })
export class SourcePollEntity {
  @ForeignKey(() => AccountEntity, { name: 'source_polls_account' })
  @IntKey()
  account_id: number;
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  /** How often in a row upstream or the store could not serve it; such a try is given back. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
  @IntColumn({ nullable: true }) checked_at: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
}
