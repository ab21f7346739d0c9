import { Check, Entity, Index } from 'typeorm';
import { type AdminRole, adminRoles } from '../../platform/config/admin-roles.js';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/** What was done or read, before and after it has its place in the chain. */
abstract class AccessColumns {
  @IntColumn() at: number;
  /** Name of an admin key or a person, or `app`, `cli`, `system`. */
  @TextColumn() actor: string;
  /** Null except for admin keys. */
  @TextColumn({ nullable: true }) role: AdminRole | null;
  /** Method and route template. */
  @TextColumn() action: string;
  /** `accounts.id`; no foreign key, because it stays when the account is erased. */
  @IntColumn({ nullable: true }) account_ref: number | null;
  /** The other ids in the path, such as `order:<id>`. */
  @TextColumn({ nullable: true }) target: string | null;
  /**
   * Resource whose values were read: a name of the catalogue, `lab_results`, or `*` for all. Null for other requests.
   */
  @TextColumn({ nullable: true }) resource: string | null;
  /** Requested time range in epoch milliseconds: from `window_start`, before `window_end`; null if unbounded. */
  @IntColumn({ nullable: true }) window_start: number | null;
  @IntColumn({ nullable: true }) window_end: number | null;
  /** Caller's address. Null for the app, where it would be the person's own. */
  @TextColumn({ nullable: true }) address: string | null;
  @TextColumn() request_id: string;
  /** HTTP status of the response; 102 for an action that is about to begin. */
  @IntColumn() status: number;
  /** Reason for the access, given by the caller. */
  @TextColumn({ nullable: true }) reason: string | null;
}

/** A recorded entry that waits for its place in the chain, for which a worker moves it to `access_log`. */
@Entity('access_log_pending')
export class PendingEntryEntity extends AccessColumns {
  @AutoIncrementKey() id: number;
  /** `access_log_writers.writer`. */
  @TextColumn() writer: string;
  /** SHA-256 of the entry and of the mark before it of the same writer, in hex (chain.ts). */
  @TextColumn() mark: string;
}

/** The last chained entry of each writer; a process is one or several. */
@Entity('access_log_writers')
export class AccessWriterEntity {
  @TextKey() writer: string;
  @TextColumn() mark: string;
  /** When that entry was made, in epoch milliseconds. */
  @IntColumn() at: number;
}

/** An entry of the access log. Triggers refuse changes, and a changed entry no longer matches its hash. */
@Entity('access_log')
@Check('access_log_role', oneOf('role', adminRoles))
@Index('access_log_account_seq', ['account_ref', 'seq'])
@Index('access_log_acts', ['account_ref', 'at', 'seq'], { where: 'role IS NOT NULL' })
@Index('access_log_actor_seq', ['actor', 'seq'])
@Index('access_log_action_seq', ['action', 'seq'])
@Index('access_log_resource_seq', ['resource', 'seq'], { where: 'resource IS NOT NULL' })
@Index('access_log_at', ['at'])
export class AccessEntryEntity extends AccessColumns {
  /** Without gaps, in the order of the chain. */
  @IntKey() seq: number;
  /** `hash` of the previous entry; 64 zeros in the first. */
  @TextColumn() previous_hash: string;
  @TextColumn() hash: string;
}

/** One row: the two ends of the chain. Retention removed the entries before `first_seq`; the last had `anchor_hash`. */
@Entity('access_log_chain')
export class AccessChainEntity {
  @IntKey() id: number;
  @IntColumn() first_seq: number;
  @TextColumn() anchor_hash: string;
  @IntColumn() last_seq: number;
  @TextColumn() last_hash: string;
}
