import { Entity, Index } from 'typeorm';
import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { AutoIncrementKey, IntColumn, IntKey, TextColumn, TextKey } from '../database/columns.js';
import type { ChangeAction, ChangeOrigin } from './change.js';

/** The columns of a change, before and after it has a number. */
abstract class ChangeColumns {
  @IntColumn() at: number;
  @TextColumn() kind: ChangeKind;
  @TextColumn() action: ChangeAction;
  @TextColumn() origin: ChangeOrigin;
  /** `accounts.id`; null for changes that belong to no account, and for erasures, which outlive it. */
  @IntColumn({ nullable: true }) account_id: number | null;
  @TextColumn() subject: string;
  @TextColumn({ nullable: true }) resource: string | null;
  @TextColumn({ nullable: true }) provider: string | null;
  @IntColumn({ nullable: true }) start_time: number | null;
  @IntColumn({ nullable: true }) end_time: number | null;
  @IntColumn({ nullable: true }) count: number | null;
  /** Days since 1970-01-01. */
  @IntColumn({ nullable: true }) first_day: number | null;
  @IntColumn({ nullable: true }) last_day: number | null;
}

/** A change as noted by its writer. The sequencer moves committed ones to `changes`, so this table is nearly empty. */
@Entity('pending_changes')
@Index('pending_changes_account_id', ['account_id'], { where: 'account_id IS NOT NULL' })
export class PendingChangeEntity extends ChangeColumns {
  @AutoIncrementKey() id: number;
}

/** A change with its place in the feed. */
@Entity('changes')
@Index('changes_account_number', ['account_id', 'number'], { where: 'account_id IS NOT NULL' })
export class ChangeEntity extends ChangeColumns {
  @IntKey() number: number;
}

/** When the records of an account from one source last changed. Kept after the changes themselves expire. */
@Entity('resource_changes')
export class ResourceChangeEntity {
  @IntKey() account_id: number;
  @TextKey() resource: string;
  @TextKey() provider: string;
  /** Epoch milliseconds; increases with every change. */
  @IntColumn() changed_at: number;
}

/**
 * One row: the feed of this database. Missing after a restore on PostgreSQL, until the next start creates another one.
 */
@Entity('change_feed')
export class ChangeFeedEntity {
  @IntKey() id: number;
  /** Random; part of every cursor. Empty after a restore on SQLite, until the next start creates another one. */
  @TextColumn() feed: string;
  /** Number of the newest change. */
  @IntColumn() last_number: number;
  /** Changes up to this number were deleted by retention. */
  @IntColumn() expired_number: number;
  /** Cluster and timeline of the PostgreSQL server that numbered the changes; null where unknown, as on SQLite. */
  @TextColumn({ nullable: true }) history: string | null;
  /** When the database was last found on a server with another history; null if never. */
  @IntColumn({ nullable: true }) departed_at: number | null;
}
