import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { AccountColumn } from '../accounts/account.entity.js';

/** account-import.worker.ts says what the states mean. */
export const importStates = ['running', 'done', 'failed'] as const;
export type ImportState = (typeof importStates)[number];

/** walk: upstream's list is read · verify: upstream is asked for accounts that the list did not show. */
export const importPhases = ['walk', 'verify'] as const;
export type ImportPhase = (typeof importPhases)[number];

/** One scan of upstream's users and its current position. */
@Entity('account_imports')
@Check('account_imports_state', oneOf('state', importStates))
@Check('account_imports_phase', oneOf('phase', importPhases))
@Index('account_imports_running', ['state'], { unique: true, where: `state = 'running'` })
@Index('account_imports_due', ['due_at'], { where: 'due_at IS NOT NULL' })
export class AccountImportEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  @TextColumn() state: ImportState;
  @TextColumn() phase: ImportPhase;
  /** Which look at the list this is, from 1. */
  @IntColumn() pass: number;
  @IntColumn() next_offset: number;
  /** Users upstream says it has: with its last page, and when this look began. */
  @IntColumn({ nullable: true }) total: number | null;
  @IntColumn({ nullable: true }) pass_total: number | null;
  /** Different users seen in this look. */
  @IntColumn() pass_seen: number;
  /** True if the list did not change during the last pass; null until the scan has ended. */
  @IntColumn({ nullable: true }) stable: number | null;
  /** Accounts up to this number have been compared with what the scan saw. */
  @IntColumn() verified_until: number;
  @IntColumn() pages: number;
  @IntColumn() known: number;
  @IntColumn() adopted: number;
  @IntColumn() refused: number;
  @IntColumn() missing: number;
  /** Accounts upstream was asked for one by one. */
  @IntColumn() verified: number;
  /** Null once there is nothing left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Tries since the last step that worked. */
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn() started_at: number;
  @IntColumn({ nullable: true }) finished_at: number | null;
}

/** A user the scan has seen; removed once the import has ended. */
@Entity('account_import_seen_users')
@Index('account_import_seen_users_account_id', ['account_id'], { where: 'account_id IS NOT NULL' })
export class SeenUserEntity {
  @ForeignKey(() => AccountImportEntity, { name: 'account_import_seen_users_import' })
  @IntKey()
  import_id: number;
  /** The upstream user, lower case. */
  @TextKey() user_id: string;
  @AccountColumn('account_import_seen_users_account', IntColumn({ nullable: true })) account_id: number | null;
  /** The latest look that showed it. */
  @IntColumn() pass: number;
}

/**
 * adopted: upstream had a user that was unknown here · refused: it has one that cannot be taken over ·
 * unknown_upstream: an account here has no user there.
 */
export const differenceKinds = ['adopted', 'refused', 'unknown_upstream'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/**
 * One difference between upstream's users and the accounts here. Never holds an id of upstream that may be personal.
 */
@Entity('account_import_differences')
@Check('account_import_differences_kind', oneOf('kind', differenceKinds))
@Index('account_import_differences_page', ['import_id', 'id'])
@Index('account_import_differences_kind_page', ['import_id', 'kind', 'id'])
@Index('account_import_differences_account_id', ['account_id'], { where: 'account_id IS NOT NULL' })
export class AccountImportDifferenceEntity {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountImportEntity, { name: 'account_import_differences_import' })
  @IntColumn()
  import_id: number;
  @TextColumn() kind: DifferenceKind;
  /** See import-rules.ts; null for an adopted user. */
  @TextColumn({ nullable: true }) reason: string | null;
  @AccountColumn('account_import_differences_account', IntColumn({ nullable: true })) account_id: number | null;
  @TextColumn({ nullable: true }) user_id: string | null;
  @IntColumn() found_at: number;
}
