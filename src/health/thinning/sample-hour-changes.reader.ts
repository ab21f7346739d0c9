import { HOUR_MS, toIso } from '../../platform/platform/time.js';
import type { Queryable } from '../../storage/database/tx.js';
import type {
  ChangeSource,
  CurrentState,
  WalkedSubject,
  WalkOptions,
} from '../../storage/declarations/change-source.js';
import type { ExportLine, ExportSource } from '../../storage/declarations/personal-data.js';
import { MAX_EXPORTED_TOGETHER } from '../catalogue/tuning.js';
import type { SampleHour } from '../clock/sample-hours.reader.js';

/** Maximum number of hours in a change or a snapshot line. */
const MAX_HOURS = 1_000;

interface SeriesRow {
  readonly id: number;
  readonly account_id: number;
  readonly resource: string;
  readonly provider: string;
  readonly source_type: string;
  readonly sub_series: string;
  readonly floating_time: number;
}

type HourRow = SampleHour & { readonly attributes_id: number };

const hoursOf = `SELECT h.*, a.content FROM sample_hours h JOIN sample_attributes a ON a.id = h.attributes_id
  WHERE h.series_id = ?`;

/** The hours of samples of a series that replaced its samples from `start` to `end` of the change. */
export const sampleHourChanges: ChangeSource = {
  kind: 'sample_hours',

  async current(queryable, changed) {
    const states: (CurrentState | null)[] = [];
    for (const { subject, start, end } of changed) {
      const [series] = await queryable.few<SeriesRow>('SELECT * FROM series WHERE id = ?', [Number(subject)]);
      const rows = await queryable.rows<HourRow>(
        `${hoursOf} AND h.time <= ? AND h.end_time > ? AND h.time > ? ORDER BY h.time, h.attributes_id LIMIT ?`,
        [Number(subject), end ?? -1, start ?? 0, (start ?? 0) - HOUR_MS, MAX_HOURS + 1],
      );
      if (series) states.push({ hours: rows.length > MAX_HOURS ? null : rows.map((row) => stateOf(series, row)) });
      else states.push(null);
    }
    return states;
  },

  walk,
};

/** Every hour of an account for its export. */
export async function* sampleHourLines(
  { reader }: ExportSource,
  account: number,
): AsyncGenerator<readonly ExportLine[]> {
  for (let after: WalkedSubject['key'] | null = null; ; ) {
    const [subject]: readonly WalkedSubject[] = await walk(reader, { after, limit: MAX_EXPORTED_TOGETHER, account });
    if (!subject) return;
    const { key, resource, provider, data } = subject;
    const hours = data['hours'] as readonly CurrentState[];
    yield hours.map((hour) => ({ type: 'sample_hour', data: { resource, provider, ...hour } }));
    after = key;
  }
}

/** The next hours of a series; skips series without any. */
async function walk(queryable: Queryable, { after, limit, account }: WalkOptions): Promise<WalkedSubject[]> {
  const [from = 0, time = null, attributes = null] = after ?? [];
  const own = account === undefined ? '' : 'AND account_id = ?';
  const rows = await queryable.rows<SeriesRow & { thinned_until: number | null }>(
    `SELECT * FROM series WHERE id >= ? ${own} ORDER BY id LIMIT ?`,
    [from, ...(account === undefined ? [] : [account]), limit],
  );
  for (const series of rows) {
    if (series.thinned_until === null) continue;
    const place = series.id === from && time !== null ? [time, attributes] : [Number.MIN_SAFE_INTEGER, 0];
    const hours = await queryable.rows<HourRow>(
      `${hoursOf} AND (h.time, h.attributes_id) > (?, ?) ORDER BY h.time, h.attributes_id LIMIT ?`,
      [series.id, ...place, MAX_HOURS],
    );
    const [first, last] = [hours[0], hours.at(-1)];
    if (!first || !last) continue;
    const data = {
      ...{ start: toIso(first.time), end: toIso(last.end_time) },
      hours: hours.map((hour) => stateOf(series, hour)),
    };
    const { account_id, resource, provider } = series;
    const key = [series.id, last.time, last.attributes_id];
    return [{ key, account: account_id, subject: String(series.id), resource, provider, data }];
  }
  const end = rows.length === limit ? rows.at(-1) : undefined;
  return end ? walk(queryable, { after: [end.id, Number.MAX_SAFE_INTEGER, 0], limit, account }) : [];
}

function stateOf({ sub_series, source_type, floating_time }: SeriesRow, hour: HourRow): CurrentState {
  const { time, end_time, count, first_at, last_at, sum_2: sum } = hour;
  const value = { sum: hour.sum, min: hour.min, max: hour.max, first: hour.first, last: hour.last };
  const diastolic = { sum, min: hour.min_2, max: hour.max_2, first: hour.first_2, last: hour.last_2 };
  return {
    ...{ start: toIso(time), end: toIso(end_time), floating_time: floating_time === 1, count },
    ...{ first_at: toIso(first_at), last_at: toIso(last_at) },
    ...(sum === null ? value : { systolic: value, diastolic }),
    ...{ type: sub_series || null, source_type },
    ...(JSON.parse(hour.content) as Record<string, unknown>),
  };
}
