import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { type ResultScope, resultScopes } from './result-subject.js';

/** What is read: the order itself, or the result of an order or a transaction. */
export const dueReadKinds = ['order', 'result'] as const;
export type DueReadKind = (typeof dueReadKinds)[number];

/** Something to read from upstream, because little more than its id is known or it may have changed. */
@Entity('due_reads')
@Check('due_reads_kind', oneOf('kind', dueReadKinds))
@Check('due_reads_scope', oneOf('scope', resultScopes))
@Index('due_reads_due', ['kind', 'due_at', 'scope', 'subject_id'], { where: 'due_at IS NOT NULL' })
@Index('due_reads_given_up', ['kind', 'requested_at'], { where: 'due_at IS NULL' })
@Index('due_reads_account_id', ['account_id'])
export class DueReadEntity extends LeaseColumns {
  @TextKey() scope: ResultScope;
  @TextKey() subject_id: string;
  @TextKey() kind: DueReadKind;
  /** Of results; an order has its own. */
  @AccountColumn('due_reads_account', IntColumn({ nullable: true })) account_id: number | null;
  /** Time of the latest request. Only a later call completes it. */
  @IntColumn() requested_at: number;
  /** Null once buried; `error_code` says why. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
