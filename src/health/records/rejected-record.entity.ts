import { Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import type { RejectionReason } from '../catalogue/records.js';

/** Identical points or objects from upstream that cannot be stored as records; kept unchanged. */
@Entity('rejected_records')
@Index('rejected_records_origin', ['kind', 'ref'])
@Index('rejected_records_resource', ['account_id', 'resource', 'time_from'])
@Index('rejected_records_seen_at', ['seen_at'])
export class RejectedRecordEntity {
  @AccountColumn('rejected_records_account', IntKey()) account_id: number;
  /** SHA-256 of the fields that identify it when seen again; if it came in a message, they include the message. */
  @TextKey() digest: string;
  @TextColumn() resource: string;
  /** Empty if the source names none. */
  @TextColumn() provider: string;
  @TextColumn() reason: RejectionReason;
  /** Its time, or its possible range: the window of the pull, or the days before the message. Both ends inclusive. */
  @IntColumn() time_from: number;
  @IntColumn() time_to: number;
  @IntColumn() count: number;
  /** JSON; null if one response had too many to keep. */
  @TextColumn({ nullable: true }) raw: string | null;
  @TextColumn() kind: 'message' | 'sync';
  /** `messages.seq` or `sync_tasks.id` of the message or pull task that last delivered it. */
  @IntColumn() ref: number;
  @IntColumn() seen_at: number;
}
