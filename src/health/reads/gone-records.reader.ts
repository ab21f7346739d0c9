import { Injectable } from '@nestjs/common';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import type { Resource } from '../catalogue/catalogue.js';
import { MAX_HIDDEN } from '../catalogue/tuning.js';
import type { ResourceDays, SeriesSlot } from '../clock/person-clocks.service.js';
import { hidden } from '../records/hidden-records.repository.js';
import type { MissingRecordEntity } from '../records/missing-record.entity.js';
import { observedAt } from '../records/observation-ids.js';
import { SUMMARY_SLACK_MS } from './records.reader.js';
import type { GoneOfDay, RecordDay } from './stored-day.js';
import type { GoneMark, RecordRead, RecordsQuery } from './stored-record.js';

type HiddenRow = Pick<
  MissingRecordEntity,
  'state' | 'seen_by' | 'missed_by' | 'missed_at' | 'confirmed_by' | 'confirmed_at' | 'provider' | 'records'
>;

const columns = 'state, seen_by, missed_by, missed_at, confirmed_by, confirmed_at, provider, records';

/** Reads records that are hidden because upstream no longer shows them. */
@Injectable()
export class GoneRecordsReader {
  constructor(private readonly reader: Reader) {}

  /**
   * Records after `query.after`, by time, then series and sibling or summary id. Ignores the filters by source type and
   * by day.
   */
  async list(query: RecordsQuery): Promise<RecordRead[]> {
    const { account, resource, start, end, provider, after, limit } = query;
    const [time, series, summary] =
      after?.length === 3 ? [after[0], after[1], ''] : [after?.[0] ?? Number.MIN_SAFE_INTEGER, 0, after?.[1] ?? ''];
    const chosen = new Conditions()
      .add('time >= ?', start ?? undefined)
      .add('time < ?', end ?? undefined)
      .add('provider = ?', provider ?? undefined);
    // The first row may contain the record at `after` itself, so one more is read.
    const rows = await this.reader.rows<HiddenRow>(
      `SELECT ${columns} FROM missing_records WHERE account_id = ? AND resource = ? AND time >= ? AND ${hidden}
         AND (time > ? OR series_id > ? OR (series_id = ? AND summary_id >= ?)) ${chosen.and}
       ORDER BY time, series_id, summary_id LIMIT ?`,
      [account, resource.name, time, time, series, series, summary, ...chosen.values, limit + 1],
    );
    const records = rows.flatMap(toRecords);
    return after === null ? records : records.filter((record) => isBeyond(placeOf(record), after));
  }

  /** Of one day. */
  async ofDay(account: number, resource: Resource, days: ResourceDays): Promise<GoneOfDay[]> {
    const dateOf = dayFinder(resource, days);
    const start = startOfDate(days.spans[0]?.date ?? '');
    const rows = await this.reader.rows<HiddenRow>(
      `SELECT ${columns} FROM missing_records WHERE account_id = ? AND resource = ? AND time >= ? AND time < ? AND ${hidden}`,
      [account, resource.name, start - SUMMARY_SLACK_MS, start + DAY_MS + SUMMARY_SLACK_MS],
    );
    const found = new Map<string, GoneOfDay>();
    for (const row of rows) {
      const own = toRecords(row).filter((record) => dateOf(record) !== undefined).length;
      if (own === 0) continue;
      const before = found.get(row.provider);
      const last = before && before.confirmedAt > (row.confirmed_at ?? 0) ? before : looksOf(row);
      const superseded = (before?.superseded ?? 0) + (row.state === 'superseded' ? own : 0);
      found.set(row.provider, { ...last, provider: row.provider, records: (before?.records ?? 0) + own, superseded });
    }
    return [...found.values()];
  }

  /** Number of hidden records per source and day. */
  async ofDays(account: number, resource: Resource, days: ResourceDays): Promise<RecordDay[]> {
    const [first, last] = [days.spans.at(0), days.spans.at(-1)];
    if (!first || !last) return [];
    const dateOf = dayFinder(resource, days);
    const start = startOfDate(first.date) - SUMMARY_SLACK_MS;
    const end = startOfDate(last.date) + DAY_MS + SUMMARY_SLACK_MS;
    const rows = await this.reader.rows<HiddenRow>(
      `SELECT ${columns} FROM missing_records WHERE account_id = ? AND resource = ? AND time >= ? AND time < ? AND ${hidden}
       ORDER BY time LIMIT ${MAX_HIDDEN}`,
      [account, resource.name, start, end],
    );
    const counts = new Map<string, RecordDay>();
    for (const row of rows) {
      for (const record of toRecords(row)) {
        const date = dateOf(record);
        if (date === undefined) continue;
        const key = `${row.provider} ${date}`;
        const records = (counts.get(key)?.records ?? 0) + 1;
        counts.set(key, { provider: row.provider, resource: resource.name, date, records, more: false });
      }
    }
    return [...counts.values()];
  }
}

function looksOf(row: HiddenRow): Pick<GoneOfDay, 'missedAt' | 'confirmedAt' | 'looks'> {
  const { missed_at: missedAt, confirmed_at: confirmedAt, missed_by, confirmed_by } = row;
  return { missedAt: missedAt ?? 0, confirmedAt: confirmedAt ?? 0, looks: [missed_by ?? 0, confirmed_by ?? 0] };
}

function toRecords(row: HiddenRow): RecordRead[] {
  const gone: GoneMark = {
    reason: row.state === 'superseded' ? 'superseded' : 'gone',
    between: [observedAt(row.seen_by), row.missed_at ?? 0],
    looks: looksOf(row).looks,
  };
  const records = JSON.parse(row.records ?? '[]') as RecordRead[];
  return records.map((record) => ({ ...record, gone }));
}

/** Returns the date of a record, or undefined if it is none of these days. */
function dayFinder(resource: Resource, { spans, slots }: ResourceDays): (record: RecordRead) => string | undefined {
  const bySeries = groupedBy(slots(DAY_MS), ({ series }) => series.id);
  const holds =
    (time: number) =>
    ({ start, end }: Pick<SeriesSlot, 'start' | 'end'>): boolean =>
      time >= start && time < end;
  return (record) => {
    // A series without a sample left near these days has no slots, and is placed like the person.
    if (record.kind === 'sample') return (bySeries.get(record.seriesId) ?? spans).find(holds(record.time))?.date;
    const { calendarDate, time, endTime } = record;
    if (calendarDate !== null) return spans.find(({ date }) => date === calendarDate)?.date;
    return spans.find(holds(resource.ofNight ? (endTime ?? time) : time))?.date;
  };
}

type Place = readonly (number | string)[];

function placeOf(record: RecordRead): Place {
  return record.kind === 'sample' ? [record.time, record.seriesId, record.sibling] : [record.time, record.summaryId];
}

function compared(one: Place, other: Place): number {
  for (const [index, part] of one.entries()) {
    const against = other[index] ?? part;
    if (part !== against) return part < against ? -1 : 1;
  }
  return 0;
}

function isBeyond(place: Place, after: Place): boolean {
  return compared(place, after) > 0;
}

/** Compares records as lists of records are sorted. */
export function inOrder(one: RecordRead, other: RecordRead): number {
  return compared(placeOf(one), placeOf(other));
}
