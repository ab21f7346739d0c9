import { Injectable } from '@nestjs/common';
import type { TimeRange } from '../../platform/platform/time.js';
import { filledUp, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { catalogue, isWhole } from '../catalogue/catalogue.js';

/** What some accounts have of a resource. `bytes` counts the objects of summaries; samples have a fixed size. */
export interface StoredAmount {
  readonly resource: string;
  readonly samples: number;
  /** Hours with samples, of each series by itself: so many hourly sums would be kept of them. */
  readonly hours: number;
  readonly summaries: number;
  readonly bytes: number;
}

/** Bytes of a stored sample in an SQLite file, with its key (docs/performance.md). */
const SQLITE_SAMPLE_BYTES = 31.2;
/** Bytes of an hourly sum with its key (docs/scaling.md#storage). */
const HOUR_BYTES = { sqlite: 88, postgres: 183 } as const;

const sampleSize = `SELECT CAST(pg_table_size(oid) + pg_indexes_size(oid) AS double precision) / reltuples AS bytes
  FROM pg_class WHERE oid = 'samples'::regclass AND reltuples > 0`;

/** Named in the statement, so that it seeks each in the index by time. */
const summaryNames = catalogue
  .filter(isWhole)
  .map(({ name }) => `'${name}'`)
  .join(', ');

/** Amounts of stored records, for forecasts. */
@Injectable()
export class GrowthReader {
  constructor(private readonly reader: Reader) {}

  /** Bytes of a stored sample with its key; null while PostgreSQL has not counted the samples yet. */
  async bytesOfSample(): Promise<number | null> {
    if (this.reader.dialect === 'sqlite') return SQLITE_SAMPLE_BYTES;
    const [size] = await this.reader.catalog<{ bytes: number }>(sampleSize);
    return size?.bytes ?? null;
  }

  /** Bytes of an hourly sum with its key. */
  bytesOfHour(): number {
    return HOUR_BYTES[this.reader.dialect];
  }

  /** By resource: records of these accounts (`accounts.id`) whose time lies in a range. */
  async amounts(accounts: readonly number[], { start, end }: TimeRange): Promise<StoredAmount[]> {
    if (accounts.length === 0) return [];
    const ids = filledUp(accounts);
    const among = placeholders(ids.length);
    const sampled = `SELECT s.resource, COUNT(*) AS samples,
        COUNT(DISTINCT CAST(s.id AS bigint) * 10000000 + x.time / 3600000) AS hours, 0 AS summaries, 0 AS bytes
      FROM series s JOIN samples x ON x.series_id = s.id AND x.time >= ? AND x.time < ?
      WHERE s.account_id IN (${among}) GROUP BY s.resource`;
    const summed = `SELECT resource, 0 AS samples, 0 AS hours, COUNT(*) AS summaries, CAST(SUM(LENGTH(raw)) AS bigint) AS bytes
      FROM summaries WHERE account_id IN (${among}) AND resource IN (${summaryNames}) AND time >= ? AND time < ?
      GROUP BY resource`;
    return [
      ...(await this.reader.rows<StoredAmount>(sampled, [start, end, ...ids])),
      ...(await this.reader.rows<StoredAmount>(summed, [...ids, start, end])),
    ];
  }
}
