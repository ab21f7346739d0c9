import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { keyError, PersonKeys } from '../person-keys/person-keys.service.js';
import type { ResultSubject } from '../result-fetches/result-subject.js';
import type { LabResultEntity, ResultForm } from './lab-result.entity.js';

/** A version as its store makes it, readable. */
export type NewResult = Omit<LabResultEntity, 'key_id'>;
/** All of a version but its content. Where its key is gone, it has no interpretation and a checksum of nothing. */
export type ResultVersion = Omit<NewResult, 'content'>;

type StoredVersion = Omit<LabResultEntity, 'content'>;
type Sealable = Pick<LabResultEntity, 'checksum' | 'interpretation' | 'content'>;

const columns = `scope, subject_id, form, version, account_id, checksum, bytes, status, interpretation, source,
  first_seen_at, last_confirmed_at, key_id`;
const ofSubject = 'scope = ? AND subject_id = ? AND form = ?';
const SEALED_AT_ONCE = 200;

/** Versions of results. What is read for somebody is always that of one account. */
@Injectable()
export class ResultsRepository {
  constructor(
    private readonly reader: Reader,
    private readonly lane: WriteLane,
    private readonly keys: PersonKeys,
  ) {
    keys.users.push({ sealMore: () => this.sealMore() });
  }

  /** Newest first. */
  async versions({ scope, id }: ResultSubject, form: ResultForm, account: number): Promise<ResultVersion[]> {
    const rows = await this.reader.rows<StoredVersion>(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} AND account_id = ? ORDER BY version DESC`,
      [scope, id, form, account],
    );
    return rows.map((row) => this.opened(row));
  }

  /** Canonical JSON; null for a version that is not there. Throws `key_destroyed` or `key_missing`. */
  async content({ scope, id }: ResultSubject, version: number): Promise<string | null> {
    const [row] = await this.reader.rows<Pick<LabResultEntity, 'content' | 'key_id'>>(
      `SELECT content, key_id FROM lab_results WHERE ${ofSubject} AND version = ?`,
      [scope, id, 'json', version],
    );
    if (!row) return null;
    const opened = this.keys.openTexts(row.key_id, { content: row.content });
    if (typeof opened === 'string') throw keyError(opened);
    return opened.content;
  }

  async newest(tx: Tx, { scope, id }: ResultSubject, form: ResultForm): Promise<ResultVersion | null> {
    const [row] = await tx.rows<StoredVersion>(
      `SELECT ${columns} FROM lab_results WHERE ${ofSubject} ORDER BY version DESC LIMIT 1`,
      [scope, id, form],
    );
    return row ? this.opened(row) : null;
  }

  async add(tx: Tx, row: NewResult): Promise<void> {
    const { checksum, interpretation, content, key_id } = await this.sealed(tx, row.account_id, row);
    await tx.execute(
      `INSERT INTO lab_results (${columns}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[row.scope, row.subject_id, row.form, row.version, row.account_id, checksum, row.bytes, row.status],
        ...[interpretation, row.source, row.first_seen_at, row.last_confirmed_at, key_id, content],
      ],
    );
  }

  /** Never moves the time back. */
  async confirm(tx: Tx, { scope, subject_id, form, version }: ResultVersion, at: number): Promise<void> {
    await tx.execute(
      `UPDATE lab_results SET last_confirmed_at = ? WHERE ${ofSubject} AND version = ? AND last_confirmed_at < ?`,
      [at, scope, subject_id, form, version, at],
    );
  }

  private async sealed(
    tx: Tx,
    account: number,
    { checksum, interpretation, content }: Sealable,
  ): Promise<Sealable & { key_id: number | null }> {
    if (!this.keys.isOn) return { checksum, interpretation, content, key_id: null };
    const key_id = await this.keys.personKey(tx, account);
    const sealed = this.keys.sealTexts(key_id, { checksum, interpretation, content });
    return { ...sealed, checksum: sealed.checksum ?? '', key_id };
  }

  private opened({ key_id, checksum, interpretation, ...row }: StoredVersion): ResultVersion {
    const opened = this.keys.openTexts(key_id, { checksum, interpretation });
    if (typeof opened === 'string') return { ...row, checksum: '', interpretation: null };
    return { ...row, ...opened, checksum: opened.checksum ?? '' };
  }

  private async sealMore(): Promise<number> {
    const sql = `SELECT ${columns}, content FROM lab_results WHERE key_id IS NULL LIMIT ?`;
    const rows = await this.reader.rows<LabResultEntity>(sql, [SEALED_AT_ONCE]);
    if (rows.length === 0) return 0;
    await this.lane.run(async (tx) => {
      for (const row of rows) {
        const { checksum, interpretation, content, key_id } = await this.sealed(tx, row.account_id, row);
        await tx.execute(
          `UPDATE lab_results SET checksum = ?, interpretation = ?, content = ?, key_id = ?
           WHERE ${ofSubject} AND version = ? AND key_id IS NULL`,
          [checksum, interpretation, content, key_id, row.scope, row.subject_id, row.form, row.version],
        );
      }
    });
    return rows.length;
  }
}
