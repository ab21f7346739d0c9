import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { ResultSubject } from '../orders/result-subject.js';
import type { LabResultEntity, ResultForm } from './lab-result.entity.js';
import type { ResultPdfEntity } from './result-pdf.entity.js';

/** A version without its content. */
export type ResultVersion = Omit<LabResultEntity, 'content'>;

const columns = `scope, subject_id, form, version, account_id, checksum, bytes, status, interpretation, source,
  first_seen_at, last_confirmed_at, withdrawn_at`;
const ofSubject = 'scope = ? AND subject_id = ? AND form = ?';

/** The lab_results table. */
@Injectable()
export class ResultsRepository {
  constructor(private readonly reader: Reader) {}

  /** Newest first. */
  versions({ scope, id }: ResultSubject, form: ResultForm, account: number): Promise<ResultVersion[]> {
    return this.reader.rows(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} AND account_id = ? ORDER BY version DESC`,
      [scope, id, form, account],
    );
  }

  /** Canonical JSON; null if the version does not exist. */
  async content({ scope, id }: ResultSubject, version: number): Promise<string | null> {
    const [row] = await this.reader.rows<Pick<LabResultEntity, 'content'>>(
      `SELECT content FROM lab_results WHERE ${ofSubject} AND version = ?`,
      [scope, id, 'json', version],
    );
    return row?.content ?? null;
  }

  /** Canonical JSON; null for a PDF. */
  async contentOf(tx: Tx, { scope, subject_id, form, version }: ResultVersion): Promise<string | null> {
    const [row] = await tx.rows<Pick<LabResultEntity, 'content'>>(
      `SELECT content FROM lab_results WHERE ${ofSubject} AND version = ?`,
      [scope, subject_id, form, version],
    );
    return row?.content ?? null;
  }

  async newest(tx: Tx, { scope, id }: ResultSubject, form: ResultForm): Promise<ResultVersion | null> {
    const [row] = await tx.rows<ResultVersion>(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} ORDER BY version DESC LIMIT 1`,
      [scope, id, form],
    );
    return row ?? null;
  }

  async add(tx: Tx, row: LabResultEntity): Promise<void> {
    await tx.execute(
      `INSERT INTO lab_results (${columns}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[row.scope, row.subject_id, row.form, row.version, row.account_id, row.checksum, row.bytes, row.status],
        ...[row.interpretation, row.source, row.first_seen_at, row.last_confirmed_at, row.withdrawn_at, row.content],
      ],
    );
  }

  /** Stores the bytes of a version of the PDF, unless they are stored. */
  async addPdf(tx: Tx, row: ResultPdfEntity): Promise<void> {
    await tx.execute(
      `INSERT INTO result_pdfs (scope, subject_id, version, account_id, content) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, subject_id, version) DO NOTHING`,
      [row.scope, row.subject_id, row.version, row.account_id, row.content],
    );
  }

  /** The stored bytes of a version of the PDF; null if there are none. */
  async pdf({ scope, subject_id, version, account_id }: ResultVersion): Promise<Buffer | null> {
    const [row] = await this.reader.rows<Pick<ResultPdfEntity, 'content'>>(
      'SELECT content FROM result_pdfs WHERE scope = ? AND subject_id = ? AND version = ? AND account_id = ?',
      [scope, subject_id, version, account_id],
    );
    return row ? Buffer.from(row.content) : null;
  }

  /** Moves `last_confirmed_at` forward, or back if it is in the future. Ends an earlier withdrawal. */
  async confirm(
    tx: Tx,
    { scope, subject_id, form, version }: ResultVersion,
    { at, now }: { at: number; now: number },
  ): Promise<void> {
    const ahead = now + CLOCK_TOLERANCE_MS;
    await tx.execute(
      `UPDATE lab_results SET last_confirmed_at = ?,
         withdrawn_at = CASE WHEN withdrawn_at <= ? OR withdrawn_at > ? THEN NULL ELSE withdrawn_at END
       WHERE ${ofSubject} AND version = ? AND (last_confirmed_at <= ? OR last_confirmed_at > ?)`,
      [at, at, ahead, scope, subject_id, form, version, at, ahead],
    );
  }

  async withdraw(tx: Tx, { scope, subject_id, form, version }: ResultVersion, at: number): Promise<void> {
    await tx.execute(`UPDATE lab_results SET withdrawn_at = ? WHERE ${ofSubject} AND version = ?`, [
      ...[at, scope, subject_id, form, version],
    ]);
  }
}
