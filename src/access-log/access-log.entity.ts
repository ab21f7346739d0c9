import { Check, Entity, Index } from 'typeorm';
import { type AdminRole, adminRoles } from '../config/admin-roles.js';
import { IntColumn, IntKey, oneOf, TextColumn } from '../database/columns.js';

/**
 * Who did or read what about whom. Written once: the database refuses to change an entry, and an entry that was changed
 * all the same no longer fits its hash.
 */
@Entity('access_log')
@Check('access_log_role', oneOf('role', adminRoles))
@Index('access_log_account_seq', ['account_ref', 'seq'])
@Index('access_log_acts', ['account_ref', 'at', 'seq'], { where: 'role IS NOT NULL' })
@Index('access_log_actor_seq', ['actor', 'seq'])
@Index('access_log_action_seq', ['action', 'seq'])
@Index('access_log_at', ['at'])
export class AccessEntryEntity {
  /** Without gaps, in the order of the chain. */
  @IntKey() seq: number;
  @IntColumn() at: number;
  /** Name of an admin key, or `app`, `cli`, `system`. */
  @TextColumn() actor: string;
  /** Null for everybody but operators. */
  @TextColumn({ nullable: true }) role: AdminRole | null;
  /** Method and route template. */
  @TextColumn() action: string;
  /** `accounts.id`; no foreign key, since it stays when the account is erased. */
  @IntColumn({ nullable: true }) account_ref: number | null;
  /** The other ids of the path, as `order:<id>`. */
  @TextColumn({ nullable: true }) target: string | null;
  /** Where an operator called from. Null for the app: it would be the person's own. */
  @TextColumn({ nullable: true }) address: string | null;
  @TextColumn() request_id: string;
  /** HTTP status of the answer; 102 before an act that has no answer yet. */
  @IntColumn() status: number;
  /** Why, in the words of whoever asked. */
  @TextColumn({ nullable: true }) reason: string | null;
  /** How often a read was repeated within its minute; null for everything else. */
  @IntColumn({ nullable: true }) repeats: number | null;
  /** `hash` of the entry before, 64 zeros before the first. */
  @TextColumn() previous_hash: string;
  @TextColumn() hash: string;
}

/** One row: the two ends of the chain. What comes before `first_seq` was removed by age and ended in `anchor_hash`. */
@Entity('access_log_chain')
export class AccessChainEntity {
  @IntKey() id: number;
  @IntColumn() first_seq: number;
  @TextColumn() anchor_hash: string;
  @IntColumn() last_seq: number;
  @TextColumn() last_hash: string;
}

/** How often the read of an entry was repeated so far; gone once an entry of the chain says so. */
@Entity('access_log_repeats')
export class AccessRepeatsEntity {
  /** Of the entry that was repeated. */
  @IntKey() seq: number;
  @IntColumn() times: number;
  @IntColumn() last_at: number;
}
