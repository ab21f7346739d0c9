import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

const streamStatuses = ['active', 'paused'] as const;
export type StreamStatus = (typeof streamStatuses)[number];

/** A scheduled stream: one account, source and resource. */
@Entity('pull_streams')
@Check('pull_streams_status', oneOf('status', streamStatuses))
@Index('pull_streams_due', ['next_due_at'], { where: 'next_due_at IS NOT NULL' })
@Index('pull_streams_promised', ['promised_at'], { where: `status = 'active' AND next_due_at IS NOT NULL` })
export class PullStreamEntity {
  @ForeignKey(() => AccountEntity, { name: 'pull_streams_account' })
  @IntKey()
  account_id: number;
  @TextKey() provider: string;
  @TextKey() resource: string;
  @TextColumn() status: StreamStatus;
  /** High-water mark: the end of the newest completely pulled window. */
  @IntColumn({ nullable: true }) covered_until: number | null;
  /** Null if there is nothing to pull. A paused stream stays due until its last pull is requested. */
  @IntColumn({ nullable: true }) next_due_at: number | null;
  /** When the pull that will move the high-water mark is or was due. Rescheduling moves only `next_due_at`. */
  @IntColumn({ nullable: true }) promised_at: number | null;
  @IntColumn({ nullable: true }) last_pulled_at: number | null;
  @IntColumn() created_at: number;
}
