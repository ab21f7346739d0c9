import { Injectable } from '@nestjs/common';
import { shapeOf } from '../../storage/database/columns.js';
import type { SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { saveRows } from '../../storage/database/rows.js';
import type { Tx } from '../../storage/database/tx.js';
import { bringForward, type StepBack } from '../../storage/work/leased-rows.js';
import { isWhole } from '../catalogue/catalogue.js';
import {
  type SampleRow,
  type SeriesRow,
  type SummaryRow,
  sampleFields,
  summaryFields,
  toSampleRead,
  toSummaryRead,
} from '../reads/records.reader.js';
import type { RecordRead } from '../reads/stored-record.js';
import { hidden, type RecordKey } from '../records/hidden-records.repository.js';
import { MissingRecordEntity } from '../records/missing-record.entity.js';
import type { CompleteLook } from './complete-look.js';

/** The interval of a record, and the fields that an overlapping record must share to replace it. */
export interface Stored extends RecordKey {
  readonly provider: string;
  readonly end: number;
  /** Source details of a sample, or source type of a summary. */
  readonly details: string;
}

/** A stored record that a look did not show. */
export interface Missed extends Stored {
  readonly observation: number;
}

const rowsOfMissing = shapeOf(MissingRecordEntity);

const sampleEnd = 'p.time + COALESCE(p.duration_ms, 0)';
const summaryEnd = 'COALESCE(s.end_time, s.time)';
const sampleDetails = `COALESCE(a.device_id, '') || ' ' || COALESCE(a.workout_id, '') || ' ' || COALESCE(a.sport, '')`;

/** Reads the stored records in a look's window; reads and writes missing_records and held_deletions. */
@Injectable()
export class MissingRecordsRepository {
  constructor(private readonly reader: Reader) {}

  /** At most `limit` stored records in the window that were last seen before the look began, oldest first. */
  async missed(look: CompleteLook, limit: number): Promise<Missed[]> {
    const { account, provider, resource, start, end, seenAfter, startMark } = look;
    const places = [account, resource.name, provider, provider, start, end];
    if (isWhole(resource)) return this.reader.rows(missedSummaries, [...places, startMark, end, seenAfter, limit]);
    return this.reader.rows(missedSamples, [...places, startMark, startMark, end, seenAfter, limit]);
  }

  /** Intervals shown by the look that begin in the range: of one series, or of all summaries of the resource. */
  async shown(look: CompleteLook, seriesId: number, range: { start: number; end: number }): Promise<Stored[]> {
    const { account, resource, startMark, task } = look;
    const places = isWhole(resource) ? [account, resource.name] : [seriesId];
    const sql = isWhole(resource) ? shownSummaries : shownSamples;
    return this.reader.rows<Stored>(sql, [...places, range.start, range.end, startMark, task]);
  }

  /** Rows of missing_records in the window, without those of hidden records. */
  async known({ account, provider, resource, start, end }: CompleteLook): Promise<MissingRecordEntity[]> {
    return this.reader.rows(
      `SELECT * FROM missing_records WHERE account_id = ? AND resource = ? AND (provider = ? OR ? = '')
         AND time >= ? AND time <= ? AND end_time <= ? AND NOT ${hidden}`,
      [account, resource.name, provider, provider, start, end, end],
    );
  }

  /** Number of records confirmed as gone since a time, without those from holds; stops counting at `most`. */
  async goneSince(since: number, most: number): Promise<number> {
    const sql = `SELECT COUNT(*) AS count FROM
      (SELECT 1 AS one FROM missing_records WHERE gone_at > ? AND state = 'gone' AND hold_id IS NULL LIMIT ?) AS lately`;
    return (await this.reader.row<{ count: number }>(sql, [since, most]))?.count ?? 0;
  }

  async store(tx: Tx, rows: readonly MissingRecordEntity[]): Promise<void> {
    await saveRows(tx, rowsOfMissing, rows);
  }

  /** The stored records with this key. */
  async stored(tx: Tx, account: number, resource: string, key: RecordKey): Promise<RecordRead[]> {
    if (key.summaryId === '') {
      const rows = await tx.rows<SampleRow & SeriesRow>(storedSamples, [key.seriesId, key.time]);
      return rows.map((row) => toSampleRead(row, row));
    }
    const rows = await tx.rows<SummaryRow>(storedSummary, [account, resource, key.summaryId]);
    return rows.map(toSummaryRead);
  }

  /** The last observation that showed the record; null if no record is stored. */
  async seenBy(tx: Tx, account: number, resource: string, key: RecordKey): Promise<number | null> {
    const isSummary = key.summaryId !== '';
    const [row] = await tx.rows<{ seen: number | null }>(
      isSummary ? seenSummary : seenSamples,
      isSummary ? [account, resource, key.summaryId] : [key.seriesId, key.time],
    );
    return row?.seen ?? null;
  }

  /** Stores the row, which contains the records, and deletes them from samples or summaries. */
  async hide(tx: Tx, row: MissingRecordEntity): Promise<void> {
    await this.store(tx, [row]);
    if (row.summary_id === '') {
      await tx.execute('DELETE FROM samples WHERE series_id = ? AND time = ?', [row.series_id, row.time]);
      await tx.execute(markSeries, [row.time, row.series_id, row.time]);
      return;
    }
    const key = [row.account_id, row.resource, row.summary_id];
    await tx.execute('DELETE FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?', key);
  }

  /** Up to `limit` rows that are due for another look, longest due first. */
  async due(tx: Tx, now: number, limit: number): Promise<MissingRecordEntity[]> {
    const sql = `SELECT * FROM missing_records WHERE look_due_at <= ? ORDER BY look_due_at LIMIT ? ${tx.skipLocked}`;
    return tx.rows(sql, [now, limit]);
  }

  bringForward(tx: Tx, step: StepBack): Promise<number> {
    return bringForward(tx, 'missing_records', 'look_due_at', step);
  }

  async hasDue(now: number): Promise<boolean> {
    const sql = 'SELECT 1 AS one FROM missing_records WHERE look_due_at <= ? LIMIT 1';
    return (await this.reader.row(sql, [now])) !== null;
  }

  /** Updates or creates the open hold of a stream and returns its id. `countHeld` counts its records. */
  async hold(tx: Tx, look: CompleteLook, now: number): Promise<number> {
    const { account, provider, resource, task, startedAt, shown } = look;
    const facts: SqlInput[] = [task, startedAt, shown];
    const [open] = await tx.rows<{ id: number }>(
      `UPDATE held_deletions SET task_id = ?, looked_at = ?, shown = ?
       WHERE account_id = ? AND provider = ? AND resource = ? AND state = 'open' RETURNING id`,
      [...facts, account, provider, resource.name],
    );
    if (open) return open.id;
    const [made] = await tx.rows<{ id: number }>(
      `INSERT INTO held_deletions (account_id, provider, resource, state, task_id, looked_at, shown, missing, created_at)
       VALUES (?, ?, ?, 'open', ?, ?, ?, 0, ?) RETURNING id`,
      [account, provider, resource.name, ...facts, now],
    );
    if (!made) throw new TypeError('the insert of a hold returned no row');
    return made.id;
  }

  /** Updates the counts of the open holds of a resource and deletes those without held records. */
  async countHeld(tx: Tx, { account, resource }: CompleteLook): Promise<void> {
    const open = `account_id = ? AND resource = ? AND state = 'open'`;
    await tx.execute(
      `UPDATE held_deletions SET missing = (SELECT COUNT(*) FROM missing_records m
         WHERE m.hold_id = held_deletions.id AND m.state = 'held') WHERE ${open}`,
      [account, resource.name],
    );
    await tx.execute(`DELETE FROM held_deletions WHERE ${open} AND missing = 0`, [account, resource.name]);
  }
}

/** Judges all samples of one time together: if one of them was seen since the look began, none is missing. */
const missedSamples = `SELECT p.series_id AS "seriesId", p.time, '' AS "summaryId", MAX(s.provider) AS provider,
    MAX(${sampleEnd}) AS "end", MAX(${sampleDetails}) AS details, MAX(g.observation_id) AS observation
  FROM series s JOIN samples p ON p.series_id = s.id JOIN sample_groups g ON g.id = p.group_id
    LEFT JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE s.account_id = ? AND s.resource = ? AND (s.provider = ? OR ? = '') AND p.time >= ? AND p.time <= ?
    AND g.observation_id < ? AND NOT EXISTS (
      SELECT 1 FROM samples q JOIN sample_groups h ON h.id = q.group_id
      WHERE q.series_id = p.series_id AND q.time = p.time AND h.observation_id >= ?)
  GROUP BY p.series_id, p.time HAVING MAX(${sampleEnd}) <= ? AND MIN(g.observation_id) >= ?
  ORDER BY p.time, p.series_id LIMIT ?`;

const missedSummaries = `SELECT 0 AS "seriesId", s.time, s.summary_id AS "summaryId", s.provider,
    ${summaryEnd} AS "end", s.source_type AS details, s.observation_id AS observation
  FROM summaries s
  WHERE s.account_id = ? AND s.resource = ? AND (s.provider = ? OR ? = '') AND s.time >= ? AND s.time <= ?
    AND s.observation_id < ? AND ${summaryEnd} <= ? AND s.observation_id >= ?
  ORDER BY s.time, s.summary_id LIMIT ?`;

const shownSamples = `SELECT p.series_id AS "seriesId", p.time, '' AS "summaryId", '' AS provider,
    ${sampleEnd} AS "end", ${sampleDetails} AS details
  FROM samples p JOIN sample_groups g ON g.id = p.group_id JOIN observations o ON o.id = g.observation_id
    LEFT JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE p.series_id = ? AND p.time >= ? AND p.time < ? AND p.duration_ms > 0 AND g.observation_id >= ?
    AND o.kind = 'sync' AND o.ref = ?
  ORDER BY p.time`;

const shownSummaries = `SELECT 0 AS "seriesId", s.time, s.summary_id AS "summaryId", s.provider,
    ${summaryEnd} AS "end", s.source_type AS details
  FROM summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ? AND s.resource = ? AND s.time >= ? AND s.time < ? AND s.end_time > s.time
    AND s.observation_id >= ? AND o.kind = 'sync' AND o.ref = ?
  ORDER BY s.time`;

const storedSamples = `SELECT ${sampleFields}, o.kind, o.ref, o.page
  FROM samples p JOIN series s ON s.id = p.series_id JOIN sample_groups g ON g.id = p.group_id
    JOIN sample_attributes a ON a.id = g.attributes_id JOIN observations o ON o.id = g.observation_id
  WHERE p.series_id = ? AND p.time = ? ORDER BY p.sibling`;

const storedSummary = `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ? AND s.resource = ? AND s.summary_id = ?`;

const seenSamples = `SELECT MAX(g.observation_id) AS seen FROM samples p JOIN sample_groups g ON g.id = p.group_id
  WHERE p.series_id = ? AND p.time = ?`;
const seenSummary = `SELECT observation_id AS seen FROM summaries
  WHERE account_id = ? AND resource = ? AND summary_id = ?`;

const markSeries = `UPDATE series SET gone_until = ? WHERE id = ? AND (gone_until IS NULL OR gone_until < ?)`;
