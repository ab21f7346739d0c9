import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { AccountColumn } from '../accounts/account.entity.js';

/** See account-import.worker.ts for the meaning of the states. */
export const importStates = ['running', 'done', 'failed'] as const;
export type ImportState = (typeof importStates)[number];

/** walk: reading upstream's list of users · verify: looking up accounts missing from that list. */
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
  /** Number of the current pass over the list, from 1. */
  @IntColumn() pass: number;
  @IntColumn() next_offset: number;
  /** Number of users that upstream reported with the last page; in `pass_total`, when this pass began. */
  @IntColumn({ nullable: true }) total: number | null;
  @IntColumn({ nullable: true }) pass_total: number | null;
  /** Number of different users seen in this pass. */
  @IntColumn() pass_seen: number;
  /** True if the list did not change during the last pass; null until the scan has ended. */
  @IntColumn({ nullable: true }) stable: number | null;
  /** Accounts up to this number have been compared with the seen users. */
  @IntColumn() verified_until: number;
  @IntColumn() pages: number;
  @IntColumn() known: number;
  @IntColumn() adopted: number;
  @IntColumn() refused: number;
  @IntColumn() missing: number;
  /** Number of accounts looked up individually. */
  @IntColumn() verified: number;
  /** Null once nothing is left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Attempts since the last successful step. */
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  @IntColumn() started_at: number;
  @IntColumn({ nullable: true }) finished_at: number | null;
}

/** A user seen by the scan; deleted once the import has ended. */
@Entity('account_import_seen_users')
@Index('account_import_seen_users_account_id', ['account_id'], { where: 'account_id IS NOT NULL' })
export class SeenUserEntity {
  @ForeignKey(() => AccountImportEntity, { name: 'account_import_seen_users_import' })
  @IntKey()
  import_id: number;
  /** Upstream user id, in lower case. */
  @TextKey() user_id: string;
  @AccountColumn('account_import_seen_users_account', IntColumn({ nullable: true })) account_id: number | null;
  /** The latest pass that showed it. */
  @IntColumn() pass: number;
}

/**
 * adopted: a user of upstream was mapped to an account · refused: a user of upstream cannot be adopted ·
 * unknown_upstream: an account has no upstream user.
 */
export const differenceKinds = ['adopted', 'refused', 'unknown_upstream'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/**
 * A difference between upstream's users and the accounts here. Never contains an id from upstream that may be personal.
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
