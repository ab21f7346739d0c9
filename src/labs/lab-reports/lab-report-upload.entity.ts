import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { oneOf, TextColumn } from '../../storage/database/columns.js';
import { KeyColumns } from '../../storage/work/lease-columns.js';

/**
 * calling: a call may be in progress · unknown: a call ended without an outcome · refused: nothing was uploaded, and
 * the key may be used again · uploaded: the job is known. See uploading.service.ts.
 */
export const uploadStates = ['calling', 'unknown', 'refused', 'uploaded'] as const;
export type UploadState = (typeof uploadStates)[number];

/** A caller's idempotency key and its outcome. Reveals nothing about the report. */
@Entity('lab_report_uploads')
@Check('lab_report_uploads_state', oneOf('state', uploadStates))
@Index('lab_report_uploads_account_id', ['account_id'])
export class LabReportUploadEntity extends KeyColumns {
  @AccountColumn('lab_report_uploads_account') account_id: number;
  @TextColumn() state: UploadState;
  /** Random; with the key it makes the fingerprint. */
  @TextColumn() salt: string;
  /** Equal only for the same files (http/idempotency-key.ts). */
  @TextColumn() fingerprint: string;
  @TextColumn({ nullable: true }) job_id: string | null;
}
