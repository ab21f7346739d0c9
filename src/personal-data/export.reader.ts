import { Injectable } from '@nestjs/common';
import type { SqlInput } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import { conditionOf } from './lookup-paths.reader.js';
import type { PersonalTable } from './personal-data-map.js';
import type { Row } from './readable.js';

export type Key = readonly (string | number)[];

/** What one series of an account is of. */
export interface ExportSeries {
  readonly id: number;
  readonly resource: string;
  readonly provider: string;
  readonly source_type: string;
  readonly device_id: string;
  readonly workout_id: string;
  readonly sport: string;
  readonly sub_series: string;
  readonly floating_time: number;
}

export interface Seen {
  readonly observation_id: number;
  readonly kind: string | null;
}

export interface ExportSample extends Seen {
  readonly time: number;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text_value: string | null;
  readonly duration_ms: number | null;
  readonly attributes: string | null;
}

export interface ExportSummary extends Seen {
  readonly resource: string;
  readonly summary_id: string;
  readonly time: number;
  readonly end_time: number | null;
  readonly calendar_date: string | null;
  readonly provider: string;
  readonly source_type: string;
  readonly floating_time: number;
  readonly version: number;
}

/** Pages of what is held of an account (`accounts.id`), each a snapshot of its own, in the order of the keys. */
@Injectable()
export class ExportReader {
  constructor(private readonly reader: Reader) {}

  /** Rows of a table of the registry after `after`. */
  rows({ table, key, ways }: PersonalTable, account: number, after: Key | null, limit: number): Promise<Row[]> {
    const columns = key.join(', ');
    const owned = ways.map((way) => `(${conditionOf(way)})`).join(' OR ');
    const later = after === null ? '' : `AND (${columns}) > (${key.map(() => '?').join(', ')})`;
    const parameters: SqlInput[] = [...ways.map(() => account), ...(after ?? []), limit];
    return this.reader.rows(`SELECT * FROM ${table} WHERE (${owned}) ${later} ORDER BY ${columns} LIMIT ?`, parameters);
  }

  series(account: number, afterId: number, limit: number): Promise<ExportSeries[]> {
    return this.reader.rows('SELECT * FROM series WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?', [
      account,
      afterId,
      limit,
    ]);
  }

  samples(seriesId: number, afterTime: number, limit: number): Promise<ExportSample[]> {
    return this.reader.rows(
      `SELECT p.time, p.value, p.value2, p.text_value, p.duration_ms, p.observation_id, o.kind, a.content AS attributes
       FROM samples p LEFT JOIN sample_attributes a ON a.id = p.attributes_id
         LEFT JOIN observations o ON o.id = p.observation_id
       WHERE p.series_id = ? AND p.time > ? ORDER BY p.time LIMIT ?`,
      [seriesId, afterTime, limit],
    );
  }

  summaries(account: number, after: readonly [resource: string, id: string], limit: number): Promise<ExportSummary[]> {
    return this.reader.rows(
      `SELECT s.resource, s.summary_id, s.time, s.end_time, s.calendar_date, s.provider, s.source_type, s.floating_time,
         s.version, s.observation_id, o.kind
       FROM summaries s LEFT JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND (s.resource, s.summary_id) > (?, ?) ORDER BY s.resource, s.summary_id LIMIT ?`,
      [account, ...after, limit],
    );
  }

  /** The object of a summary; those of workout streams may be many megabytes. Null once it is gone. */
  async raw(account: number, { resource, summary_id }: ExportSummary): Promise<string | null> {
    const sql = 'SELECT raw FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?';
    return (await this.reader.row<{ raw: string }>(sql, [account, resource, summary_id]))?.raw ?? null;
  }

  async body(seq: number): Promise<Buffer | null> {
    const row = await this.reader.row<{ body: Buffer }>('SELECT body FROM message_bodies WHERE seq = ?', [seq]);
    return row?.body ?? null;
  }

  /** Who looked at what of the person, oldest first. */
  accesses(account: number, afterSeq: number, limit: number): Promise<(Row & { readonly seq: number })[]> {
    return this.reader.rows(
      `SELECT seq, at, actor, role, action, target, request_id, status FROM access_log
       WHERE account_ref = ? AND seq > ? ORDER BY seq LIMIT ?`,
      [account, afterSeq, limit],
    );
  }
}
