import { isoOrNull, toIso } from '../../platform/platform/time.js';
import type { SqlInput } from '../../storage/database/dialect.js';
import type { Queryable } from '../../storage/database/tx.js';
import type {
  ChangedSubject,
  ChangeSource,
  CurrentState,
  WalkedSubject,
  WalkOptions,
} from '../../storage/declarations/change-source.js';
import { MAX_BATCH_CHARACTERS } from '../catalogue/tuning.js';
import {
  type SampleRow,
  type SeriesRow,
  type SummaryRow,
  sampleFields,
  summaryFields,
  toSampleRead,
  toSummaryRead,
} from './records.reader.js';
import type { RecordRead, SampleRead, SummaryRead } from './stored-record.js';

/** Maximum number of samples in a change or a snapshot line; a larger change must be read from the records instead. */
const MAX_SAMPLES = 1_000;

const samplesOf = `SELECT ${sampleFields}, 'sync' AS kind, 0 AS ref, NULL AS page
  FROM series s JOIN samples p ON p.series_id = s.id JOIN sample_groups g ON g.id = p.group_id
    JOIN sample_attributes a ON a.id = g.attributes_id
  WHERE s.id = ? AND p.time >= ? AND p.time <= ? ORDER BY p.time, p.sibling LIMIT ?`;

/** All samples of a series from the first to the last changed one: a consumer replaces its copy of that range. */
export const sampleChanges: ChangeSource = {
  kind: 'samples',

  async current(queryable, changed) {
    const states: (CurrentState | null)[] = [];
    for (const { subject, start, end } of changed) {
      const rows = await readSamples(queryable, subject, start ?? 0, end ?? -1, MAX_SAMPLES + 1);
      states.push(rows.length > MAX_SAMPLES ? { samples: null } : { samples: rows.map(sampleState) });
    }
    return states;
  },

  walk: walkSamples,
};

export const summaryChanges: ChangeSource = {
  kind: 'summary',

  async current(queryable, changed) {
    const states: (CurrentState | null)[] = [];
    for (const { account, resource, subject } of changed) {
      const sql = `${summaries} AND s.resource = ? AND s.summary_id = ?`;
      const [row] = await queryable.few<SummaryRow>(sql, [account, resource, subject]);
      states.push(row ? summaryState(toSummaryRead(row)) : null);
    }
    return states;
  },

  async walk(queryable, { after, limit, account }: WalkOptions): Promise<WalkedSubject[]> {
    const beyond = after === null ? '' : 'AND (s.account_id, s.resource, s.summary_id) > (?, ?, ?)';
    const own = account === undefined ? '' : 'AND s.account_id = ?';
    const values: SqlInput[] = [...(after ?? []), ...(account === undefined ? [] : [account])];
    const chosen = `WHERE 1 = 1 ${beyond} ${own} ORDER BY s.account_id, s.resource, s.summary_id LIMIT ?`;
    const sizes = await queryable.rows<{ size: number }>(`SELECT LENGTH(s.raw) AS size FROM summaries s ${chosen}`, [
      ...values,
      limit,
    ]);
    const rows = await queryable.rows<SummaryRow & { account_id: number; resource: string }>(
      `SELECT s.account_id, s.resource, ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       ${chosen}`,
      [...values, fitting(sizes)],
    );
    return rows.map((row) => {
      const { account_id, resource, summary_id: subject, provider } = row;
      const data = summaryState(toSummaryRead(row));
      return { key: [account_id, resource, subject], account: account_id, subject, resource, provider, data };
    });
  },
};

/** Number of summaries that fit into one batch; at least one. */
function fitting(sizes: readonly { size: number }[]): number {
  let text = 0;
  const tooMany = sizes.findIndex(({ size }) => (text += size) > MAX_BATCH_CHARACTERS);
  return tooMany < 0 ? sizes.length : Math.max(1, tooMany);
}

/** The next stretch of a series; skips empty series. */
async function walkSamples(queryable: Queryable, { after, limit, account }: WalkOptions): Promise<WalkedSubject[]> {
  const [series = 0, time = null] = after ?? [];
  const own = account === undefined ? '' : 'AND account_id = ?';
  const rows = await queryable.rows<SeriesRow & { account_id: number; resource: string }>(
    `SELECT * FROM series WHERE id >= ? ${own} ORDER BY id LIMIT ?`,
    [series, ...(account === undefined ? [] : [account]), limit],
  );
  for (const row of rows) {
    const from = row.id === series && typeof time === 'number' ? time + 1 : Number.MIN_SAFE_INTEGER;
    const found = await readSamples(queryable, String(row.id), from, Number.MAX_SAFE_INTEGER, MAX_SAMPLES);
    const whole = found.length < MAX_SAMPLES ? found : withoutLastTime(found);
    const [first, last] = [whole[0], whole.at(-1)];
    if (!first || !last) continue;
    const data = { start: toIso(first.time), end: toIso(last.time), samples: whole.map(sampleState) };
    const { account_id, resource, provider } = row;
    return [{ key: [row.id, last.time], account: account_id, subject: String(row.id), resource, provider, data }];
  }
  const end = rows.length === limit ? rows.at(-1) : undefined;
  return end ? walkSamples(queryable, { after: [end.id, Number.MAX_SAFE_INTEGER - 1], limit, account }) : [];
}

const summaries = `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
  WHERE s.account_id = ?`;

async function readSamples(
  queryable: Queryable,
  series: ChangedSubject['subject'],
  start: number,
  end: number,
  limit: number,
): Promise<SampleRead[]> {
  const rows = await queryable.rows<SampleRow & SeriesRow>(samplesOf, [Number(series), start, end, limit]);
  return rows.map((row) => toSampleRead(row, row));
}

/** Drops the samples at the last time, which the limit may have cut off, unless all samples have the same time. */
function withoutLastTime(samples: readonly SampleRead[]): readonly SampleRead[] {
  const last = samples.at(-1)?.time;
  const whole = samples.filter(({ time }) => time !== last);
  return whole.length > 0 ? whole : samples;
}

function times({ time, endTime, floatingTime }: RecordRead): CurrentState {
  return { time: toIso(time), end_time: isoOrNull(endTime), floating_time: floatingTime };
}

function sampleState(sample: SampleRead): CurrentState {
  const { value, value2, text, attributes, sourceType, subSeries } = sample;
  const pair = value2 === null ? { value } : { systolic: value, diastolic: value2 };
  const content = text === null ? pair : { text };
  return { ...times(sample), ...content, type: subSeries || null, source_type: sourceType, ...attributes };
}

function summaryState(summary: SummaryRead): CurrentState {
  const { calendarDate, updatedAt, sourceType, raw } = summary;
  const own = { calendar_date: calendarDate, source_type: sourceType, updated_at: isoOrNull(updatedAt) };
  return { ...times(summary), ...own, data: raw };
}
