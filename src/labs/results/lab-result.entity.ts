import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type ResultScope, resultScopes } from '../orders/result-subject.js';

/** For a PDF, only checksum and size are stored. */
export const resultForms = ['json', 'pdf'] as const;
export type ResultForm = (typeof resultForms)[number];

export const resultStatuses = ['partial', 'final'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** `read`: by a request. `fetch`: in the background, after an event. */
export const resultSources = ['read', 'fetch'] as const;
export type ResultSource = (typeof resultSources)[number];

/**
 * One version of a result, as upstream returned it from `first_seen_at` to `last_confirmed_at`. The content of a
 * version never changes.
 */
@Entity('lab_results')
@Check('lab_results_scope', oneOf('scope', resultScopes))
@Check('lab_results_form', oneOf('form', resultForms))
@Check('lab_results_status', oneOf('status', resultStatuses))
@Check('lab_results_source', oneOf('source', resultSources))
@Index('lab_results_account_id', ['account_id'])
@Index('lab_results_withdrawn_at', ['withdrawn_at'], { where: 'withdrawn_at IS NOT NULL' })
export class LabResultEntity {
  @TextKey() scope: ResultScope;
  /** Id of the order or order transaction. */
  @TextKey() subject_id: string;
  @TextKey() form: ResultForm;
  /** From 1. */
  @IntKey() version: number;
  @AccountColumn('lab_results_account') account_id: number;
  /** SHA-256 of `content` or of the PDF's bytes, in hex. */
  @TextColumn() checksum: string;
  @IntColumn() bytes: number;
  /** Null for a PDF. */
  @TextColumn({ nullable: true }) status: ResultStatus | null;
  @TextColumn({ nullable: true }) interpretation: string | null;
  /** Canonical JSON of upstream's response; null for a PDF. */
  @TextColumn({ nullable: true }) content: string | null;
  @TextColumn() source: ResultSource;
  @IntColumn() first_seen_at: number;
  @IntColumn() last_confirmed_at: number;
  /** When upstream returned 404 for this version; null again if upstream later returns the same content. */
  @IntColumn({ nullable: true }) withdrawn_at: number | null;
}
