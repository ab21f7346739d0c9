import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * suspect: a pull over every source did not show it, which proves nothing; a look at its range is due · candidate: one
 * complete look did not show it · held: an operator decides first · kept: an operator decided that it stays · gone: a
 * second complete look did not show it either · superseded: a complete look showed an overlapping record instead.
 */
export const missingStates = ['suspect', 'candidate', 'held', 'kept', 'gone', 'superseded'] as const;
export type MissingState = (typeof missingStates)[number];

/** The states of hidden records. */
export const hiddenStates = ['gone', 'superseded'] as const satisfies readonly MissingState[];
export type HiddenState = (typeof hiddenStates)[number];

/**
 * A record that a pull of its range did not show: a summary, or all samples of a series at one time. Hiding a record
 * moves its content from samples or summaries to `records`.
 */
@Entity('missing_records')
@Check('missing_records_state', oneOf('state', missingStates))
@Index('missing_records_summary', ['account_id', 'resource', 'summary_id'], { where: `summary_id <> ''` })
@Index('missing_records_look_due_at', ['look_due_at'], { where: 'look_due_at IS NOT NULL' })
@Index('missing_records_gone_at', ['gone_at'], { where: 'gone_at IS NOT NULL' })
@Index('missing_records_together', ['account_id', 'gone_at', 'confirmed_by', 'state', 'time'], {
  where: 'gone_at IS NOT NULL',
})
@Index('missing_records_hold_id', ['hold_id'], { where: 'hold_id IS NOT NULL' })
export class MissingRecordEntity {
  @AccountColumn('missing_records_account', IntKey()) account_id: number;
  @TextKey() resource: string;
  @IntKey() time: number;
  /** 0 for a summary. */
  @IntKey() series_id: number;
  /** Empty for samples. */
  @TextKey() summary_id: string;
  @TextColumn() provider: string;
  @IntColumn() end_time: number;
  @TextColumn() state: MissingState;
  /** The last observation that showed it; a later one deletes this row. */
  @IntColumn() seen_by: number;
  /** `sync_tasks.id` of the first complete look that missed it, and when that look began. */
  @IntColumn({ nullable: true }) missed_by: number | null;
  @IntColumn({ nullable: true }) missed_at: number | null;
  /** The same for the look that confirmed it, which for a superseded record is the first. */
  @IntColumn({ nullable: true }) confirmed_by: number | null;
  @IntColumn({ nullable: true }) confirmed_at: number | null;
  /** When its range is pulled again; null if never. */
  @IntColumn({ nullable: true }) look_due_at: number | null;
  /** Number of looks requested for its range. */
  @IntColumn() looks: number;
  @IntColumn({ nullable: true }) hold_id: number | null;
  @IntColumn({ nullable: true }) gone_at: number | null;
  /** Hidden records as JSON; null before, and after HISTORY_RETENTION_DAYS. */
  @TextColumn({ nullable: true }) records: string | null;
}

/** open: waits for an operator · released: later looks may hide its records · rejected: its records stay visible. */
export const holdStates = ['open', 'released', 'rejected'] as const;
export type HoldState = (typeof holdStates)[number];

/** Records of one stream that an operator decides about, because looks missed too many of them. */
@Entity('held_deletions')
@Check('held_deletions_state', oneOf('state', holdStates))
@Index('held_deletions_account_id', ['account_id'])
@Index('held_deletions_state_id', ['state', 'id'])
export class HeldDeletionEntity {
  @AutoIncrementKey() id: number;
  @AccountColumn('held_deletions_account') account_id: number;
  @TextColumn() provider: string;
  @TextColumn() resource: string;
  @TextColumn() state: HoldState;
  /** Task of the last look. */
  @IntColumn() task_id: number;
  @IntColumn() looked_at: number;
  @IntColumn() shown: number;
  /** Number of held records, over all looks. */
  @IntColumn() missing: number;
  @IntColumn() created_at: number;
  @IntColumn({ nullable: true }) decided_at: number | null;
  @TextColumn({ nullable: true }) decided_by: string | null;
  /** The operator's reason. */
  @TextColumn({ nullable: true }) reason: string | null;
}
