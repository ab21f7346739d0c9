import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import type { RejectionReason } from '../catalogue/records.js';

/** Points or objects of upstream that are alike and cannot be stored as records, as they came. */
@Entity('rejected_records')
@Index('rejected_records_origin', ['kind', 'ref'])
@Index('rejected_records_resource', ['account_id', 'resource', 'time_from'])
@Index('rejected_records_seen_at', ['seen_at'])
export class RejectedRecordEntity {
  @ForeignKey(() => AccountEntity, { name: 'rejected_records_account' })
  @IntKey()
  account_id: number;
  /** SHA-256 of what makes it the same when it is seen again; one that a message brought is that message's own. */
  @TextKey() digest: string;
  @TextColumn() resource: string;
  /** Empty where the source names none. */
  @TextColumn() provider: string;
  @TextColumn() reason: RejectionReason;
  /** Its time, or where it may lie: the window of the pull, or the days before the message. Both ends are included. */
  @IntColumn() time_from: number;
  @IntColumn() time_to: number;
  @IntColumn() count: number;
  /** JSON; null where one answer had too many to keep. */
  @TextColumn({ nullable: true }) raw: string | null;
  @TextColumn() kind: 'message' | 'sync';
  /** `messages.seq` or `sync_tasks.id` of the latest that brought it. */
  @IntColumn() ref: number;
  @IntColumn() seen_at: number;
}
