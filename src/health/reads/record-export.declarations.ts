import type { Reader } from '../../storage/database/reader.js';
import { pagesOf } from '../../storage/declarations/personal-data.js';
import { type SampleRow, type SeriesRow, type SummaryRow, toSampleRead, toSummaryRead } from './records.reader.js';
import type { RecordRead } from './stored-record.js';

/** A record of an account with the name of its resource. */
export interface ExportedRecord {
  readonly resource: string;
  readonly record: RecordRead;
}

type Pages = AsyncGenerator<readonly ExportedRecord[]>;
type NamedSeries = SeriesRow & { readonly resource: string };
type SampleKey = readonly [time: number, sibling: number];
type SummaryKey = readonly [resource: string, summaryId: string];
type NamedSummary = SummaryRow & { readonly resource: string };

const BEFORE_ALL_TIMES = Number.MIN_SAFE_INTEGER;

/** Covers rows whose observation no longer exists, which are exported too. */
const provenance = `COALESCE(o.kind, 'unknown') AS kind, COALESCE(o.ref, 0) AS ref, o.page`;

/** Every record of an account (`accounts.id`), in order of keys. Each page is its own snapshot. */
export async function* everyRecord(reader: Reader, accountId: number): Pages {
  yield* samples(reader, accountId);
  yield* summaries(reader, accountId);
}

async function* samples(reader: Reader, accountId: number): Pages {
  const sql = 'SELECT * FROM series WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?';
  const read = (after: number, limit: number): Promise<NamedSeries[]> => reader.rows(sql, [accountId, after, limit]);
  for await (const page of pagesOf(0, read, ({ id }) => id)) {
    for (const series of page) yield* samplesOf(reader, series);
  }
}

async function* samplesOf(reader: Reader, series: NamedSeries): Pages {
  const sql = `SELECT p.time, p.sibling, p.value, p.text_value, p.duration_ms, COALESCE(g.observation_id, 0) AS observation_id,
      COALESCE(a.content, '{}') AS content, COALESCE(a.device_id, '') AS device_id,
      COALESCE(a.workout_id, '') AS workout_id, COALESCE(a.sport, '') AS sport, ${provenance}
    FROM samples p LEFT JOIN sample_groups g ON g.id = p.group_id
      LEFT JOIN sample_attributes a ON a.id = g.attributes_id LEFT JOIN observations o ON o.id = g.observation_id
    WHERE p.series_id = ? AND p.time >= ? AND (p.time > ? OR p.sibling > ?) ORDER BY p.time, p.sibling LIMIT ?`;
  const read = ([time, sibling]: SampleKey, limit: number): Promise<SampleRow[]> =>
    reader.rows(sql, [series.id, time, time, sibling, limit]);
  const keyOf = ({ time, sibling }: SampleRow): SampleKey => [time, sibling];
  for await (const page of pagesOf<SampleRow, SampleKey>([BEFORE_ALL_TIMES, -1], read, keyOf)) {
    yield page.map((row) => ({ resource: series.resource, record: toSampleRead(series, row) }));
  }
}

/** Reads one object at a time, because objects may be large: a workout stream can have many megabytes. */
async function* summaries(reader: Reader, accountId: number): Pages {
  const read = ([resource, summaryId]: SummaryKey, limit: number): Promise<Omit<NamedSummary, 'raw'>[]> =>
    reader.rows(
      `SELECT s.resource, s.summary_id, s.time, s.end_time, s.calendar_date, s.provider, s.source_type, s.floating_time,
         s.version, s.observation_id, ${provenance}
       FROM summaries s LEFT JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND (s.resource, s.summary_id) > (?, ?) ORDER BY s.resource, s.summary_id LIMIT ?`,
      [accountId, resource, summaryId, limit],
    );
  const keyOf = (row: Omit<NamedSummary, 'raw'>): SummaryKey => [row.resource, row.summary_id];
  for await (const page of pagesOf<Omit<NamedSummary, 'raw'>, SummaryKey>(['', ''], read, keyOf)) {
    for (const row of page) {
      const sql = 'SELECT raw FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?';
      const [stored] = await reader.rows<{ raw: string }>(sql, [accountId, row.resource, row.summary_id]);
      if (stored) yield [{ resource: row.resource, record: toSummaryRead({ ...row, ...stored }) }];
    }
  }
}
