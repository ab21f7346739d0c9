import { Injectable } from '@nestjs/common';
import {
  calendarDayResources,
  coveredResources,
  isWhole,
  pulledResources,
  type Resource,
  resourceByName,
  unknownResource,
} from '../../health/catalogue/catalogue.js';
import { summaryFields } from '../../health/catalogue/summary-fields.js';
import { type ZoneOfAccount } from '../../health/clock/person-clocks.service.js';
import { StoredDays } from '../../health/reads/stored-days.service.js';
import {
  earlierUntil,
  type RecordRead,
  type RecordsFilter,
  type RecordsQuery,
} from '../../health/reads/stored-record.js';
import { StoredRecords } from '../../health/reads/stored-records.service.js';
import { type Bucket, SampleBuckets } from '../../health/statistics/sample-buckets.service.js';
import { SyncConfig } from '../../platform/config/config.js';
import { AppError, type FieldError, invalidFields } from '../../platform/platform/errors.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { DAY_MS, HOUR_MS, startOfDate, type TimeRange, toIso, union } from '../../platform/platform/time.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { MAX_PAGE_CHARACTERS, MAX_RANGES, MAX_STREAMS_A_PAGE } from '../alarms/tuning.js';
import type { OperatorRecordsQuery, RecordsListQuery, RecordsPage } from './records.dto.js';

/** Maximum days of samples, because each series is placed on the person's clock. */
const MAX_DAYS = 366;

type ThinnedFilter = Parameters<SampleBuckets['thinnedUntil']>[0];

/** `every` in milliseconds. */
type BucketsListQuery = RecordsListQuery & { readonly every: number };

/** An account by `accounts.id`, with its time zone, and when its present upstream user replaced another one. */
export interface OwnerOfRecords extends ZoneOfAccount {
  readonly relinked_at: number | null;
}

/** Pages of one account's stored records of one resource, oldest first. */
@Injectable()
export class RecordsService {
  constructor(
    private readonly stored: StoredRecords,
    private readonly days: StoredDays,
    private readonly sampleBuckets: SampleBuckets,
    private readonly changes: ChangeLog,
    private readonly sync: SyncConfig,
  ) {}

  /**
   * Leaves out records of a former upstream user that one of the present user covers, unless `relinkedAt` is null.
   * Throws `not_found` for a name outside the catalogue, `invalid_request` for a
   * cursor from another list, a reversed range, unknown fields, or days of a resource without days, and
   * `not_synced` instead of an empty list of a resource that is not pulled, because nothing is known about it.
   */
  async list(
    account: OwnerOfRecords,
    resourceName: string,
    query: OperatorRecordsQuery,
  ): Promise<RecordsPage<RecordRead>> {
    const resource = resourceByName(resourceName);
    if (!resource) throw unknownResource('not_found', resourceName);
    assertFitting(resource, query);
    const filter = { ...filterOf(account, resource, query), ...(await this.placed(account, resource, query)) };
    const page = await (query.latest_per_day ? this.latestPerDay(filter, query) : this.all(filter, query));
    if (page.data.length === 0 && query.cursor === undefined) this.assertSynced(resource);
    return this.withThinned(page, filter);
  }

  /**
   * The same samples in less detail. `every` is the length of a bucket in milliseconds. Throws like `list`, and
   * `invalid_request` for a resource that is not a measure with one number a sample.
   */
  async buckets(account: OwnerOfRecords, resourceName: string, query: BucketsListQuery): Promise<RecordsPage<Bucket>> {
    const resource = resourceByName(resourceName);
    if (!resource) throw unknownResource('not_found', resourceName);
    assertFitting(resource, query);
    assertMeasured(resource, query);
    const { cursor, every, limit, start = null, end = null, provider = null, source_type: sourceType = null } = query;
    const after = cursor === undefined ? null : decodeCursor(cursor, ['number', 'number', 'number']);
    const placed = await this.placed(account, resource, query);
    const of = { account: account.id, earlierUntil: earlierUntil(account.relinked_at) };
    const filter = { ...of, resource, provider, sourceType, start, end, ...placed };
    const rows = await this.sampleBuckets.page({ ...filter, every, after, limit: limit + 1 });
    const page = pageOf(rows, limit, ({ time, series, rank }) => [time, series.id, rank]);
    if (page.data.length === 0 && cursor === undefined) this.assertSynced(resource);
    // Spans of complete hours are made of the sums.
    return every % HOUR_MS === 0 ? page : this.withThinned(page, filter);
  }

  private async withThinned<T>(page: Page<T>, filter: ThinnedFilter): Promise<RecordsPage<T>> {
    if (filter.resource.statistics !== 'measure') return page;
    const until = await this.sampleBuckets.thinnedUntil(filter);
    return until === null ? page : { ...page, thinned_until: toIso(until) };
  }

  /** Resources that could be pulled but are not. */
  notSynced(): string[] {
    return pulledResources.filter((name) => !this.sync.resources.includes(name));
  }

  /**
   * The parts of each series on the wanted local days of the person, or for summaries without a calendar day the range
   * of these days; nothing for summaries that name their day.
   */
  private async placed(
    account: OwnerOfRecords,
    resource: Resource,
    { first_day: from, last_day: to }: OperatorRecordsQuery,
  ): Promise<Pick<RecordsFilter, 'ranges' | 'undated'>> {
    if (resource.hasDay || from === undefined || to === undefined) return {};
    const { spans, slots } = await this.days.daysOf(account, resource, { from, to });
    const [first, last] = [spans[0], spans.at(-1)];
    if (isWhole(resource)) return first && last ? { undated: { start: first.start, end: last.end } } : {};
    const bySeries = groupedBy(slots(DAY_MS), ({ series }) => series.id);
    return {
      ranges: [...bySeries].flatMap(([seriesId, own]) => union(own).map((range) => ({ seriesId, ...range }))),
    };
  }

  private assertSynced({ name }: Resource): void {
    if (!this.notSynced().includes(name)) return;
    const synced = this.sync.resources.join(', ');
    throw new AppError('not_synced', `This resource is not pulled. SYNC_RESOURCES: ${synced}.`);
  }

  private async all(filter: RecordsFilter, query: OperatorRecordsQuery): Promise<Page<RecordRead>> {
    const { resource, ranges } = filter;
    if (ranges?.length === 0) return { data: [], next_cursor: null };
    const limit = resource.family === 'stream' ? Math.min(query.limit, MAX_STREAMS_A_PAGE) : query.limit;
    const wanted = { ...filter, after: afterOf(resource, query.cursor), order: query.order, limit: limit + 1 };
    const rows = await (query.include ? this.stored.listWithGone(wanted) : this.changed(wanted, query.updated_since));
    return pageOf(rows, fitting(rows, limit), (row) =>
      row.kind === 'sample' ? [row.time, row.seriesId, row.sibling] : [row.time, row.summaryId],
    );
  }

  /** A page of the records changed since an instant; of all records without one. */
  private async changed(wanted: RecordsQuery, since: number | undefined): Promise<RecordRead[]> {
    const ranges = since === undefined ? null : await this.rangesSince(wanted, since);
    if (ranges === null) return this.stored.list(wanted);
    const rows: RecordRead[] = [];
    for (const range of wanted.order === 'newest' ? ranges.toReversed() : ranges) {
      const start = Math.max(range.start, wanted.start ?? range.start);
      const end = Math.min(range.end, wanted.end ?? range.end);
      if (rows.length >= wanted.limit || start >= end) continue;
      rows.push(...(await this.stored.list({ ...wanted, start, end, limit: wanted.limit - rows.length })));
    }
    return rows;
  }

  /** The time ranges of records changed since an instant; null if the change log does not reach back that far. */
  private async rangesSince({ account, resource }: RecordsQuery, since: number): Promise<readonly TimeRange[] | null> {
    const changes = await this.changes.changedSince(account, resource.name, since);
    if (changes === null) return null;
    const ids = new Set(changes.flatMap(({ kind, subject }) => (kind === 'summary' ? [subject] : [])));
    if (ids.size > MAX_RANGES) return null;
    const times = await Promise.all([...ids].map((id) => this.stored.timeOf(account, resource, id)));
    const changed = [
      ...times.flatMap((time) => (time === null ? [] : [{ start: time, end: time + 1 }])),
      ...changes.flatMap(({ start_time: start, end_time: end }) =>
        start === null || end === null ? [] : [{ start, end: end + 1 }],
      ),
    ];
    return widened(union(changed));
  }

  private async latestPerDay(filter: RecordsFilter, { cursor, limit }: RecordsListQuery): Promise<Page<RecordRead>> {
    const { ofDay } = filter.resource;
    const isSeveral = ofDay !== 'latest';
    const given =
      cursor === undefined ? null : isSeveral ? decodeCursor(cursor, fourTexts) : decodeCursor(cursor, threeTexts);
    // Without an id, the day is complete: it is not shown again, also if a better source has sent it since.
    const after = given === null ? null : given[3] ? given : given.slice(0, 1);
    const rows = await this.days.ofDays({ ...filter, after, limit: limit + 1 });
    const size = fitting(rows, limit);
    const isSplit = ofDay === 'all' || dayOf(rows[size - 1]) === dayOf(rows[size]);
    return pageOf(rows, size, (row) => {
      const place = [row.provider, row.sourceType];
      if (!isSeveral) return [dayOf(row), ...place];
      return isSplit && row.kind === 'summary' ? [dayOf(row), ...place, row.summaryId] : [dayOf(row), ...place, ''];
    });
  }
}

function dayOf(row: RecordRead | undefined): string {
  return row?.kind === 'summary' ? (row.calendarDate ?? '') : '';
}

/** From the first to the last of many ranges; few stay as they are. */
function widened(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const [first, last] = [ranges[0], ranges.at(-1)];
  return ranges.length > MAX_RANGES && first && last ? [{ start: first.start, end: last.end }] : ranges;
}

const threeTexts = ['string', 'string', 'string'] as const;
const fourTexts = [...threeTexts, 'string'] as const;

/** Number of rows that fit a page: up to `limit`, fewer if they are large, at least one. */
function fitting(rows: readonly RecordRead[], limit: number): number {
  let text = 0;
  const tooMany = rows.findIndex((row) => (text += row.kind === 'summary' ? row.size : 0) > MAX_PAGE_CHARACTERS);
  return tooMany === -1 ? limit : Math.min(limit, Math.max(1, tooMany));
}

function filterOf(account: OwnerOfRecords, resource: Resource, query: RecordsListQuery): RecordsFilter {
  const { start = null, end = null, first_day: firstDay = null, last_day: lastDay = null } = query;
  const { provider = null, source_type: sourceType = null } = query;
  const of = { account: account.id, earlierUntil: earlierUntil(account.relinked_at) };
  return { ...of, resource, start, end, firstDay, lastDay, provider, sourceType };
}

function afterOf(resource: Resource, cursor: string | undefined): RecordsQuery['after'] {
  if (cursor === undefined) return null;
  if (isWhole(resource)) return decodeCursor(cursor, ['number', 'string']);
  return decodeCursor(cursor, ['number', 'number', 'number']);
}

/**
 * Throws `invalid_request` for parameters that exclude each other: a profile and a stream have no day; samples and
 * summaries that name no day have that of the person's clock, and none of them stands for it; gone records can be
 * filtered only by time and provider; one record per day has only one order; samples have no fields to choose from.
 */
function assertFitting(resource: Resource, query: OperatorRecordsQuery): void {
  const { hasDay, name } = resource;
  const faults: FieldError[] = [];
  const refuse = (fields: readonly (keyof OperatorRecordsQuery)[], problem: string): void => {
    const given = fields.filter((field) => query[field] !== undefined && query[field] !== false);
    faults.push(...given.map((field) => ({ field, message: `${field} ${problem}` })));
  };
  const names = calendarDayResources.join(', ');
  if (!hasDay) refuse(['latest_per_day'], `is supported only for resources with a calendar day: ${names}`);
  if (isWhole(resource) && !coveredResources.includes(name)) {
    refuse(['first_day', 'last_day'], 'is supported only for resources with days');
  } else if (!hasDay) faults.push(...faultsOfDays(query));
  if (query.include !== undefined) {
    const alone = ['latest_per_day', 'first_day', 'last_day', 'source_type', 'order', 'updated_since'] as const;
    refuse(alone, 'cannot be combined with include');
  }
  if (query.latest_per_day)
    refuse(
      ['order', 'updated_since'],
      'cannot be combined with latest_per_day; choose days with first_day and last_day',
    );
  const known = isWhole(resource) ? Object.keys(summaryFields[name] ?? {}) : [];
  if (!isWhole(resource)) refuse(['fields'], 'is supported only for summaries');
  else if (query.fields?.some((field) => !known.includes(field))) {
    faults.push({ field: 'fields', message: `fields of ${name} are ${known.join(', ')}` });
  }
  if (isReversed(query.start, query.end)) refuse(['end'], 'must not be before start');
  if (isReversed(query.first_day, query.last_day)) refuse(['last_day'], 'must not be before first_day');
  if (faults.length > 0) throw invalidFields(...faults);
}

/** Days that no record names are read from the person's clock, so they must be few. */
function faultsOfDays({ first_day: first, last_day: last }: OperatorRecordsQuery): FieldError[] {
  if (first === undefined && last === undefined) return [];
  const [given, field] = first === undefined ? ['last_day', 'first_day'] : ['first_day', 'last_day'];
  if (first === undefined || last === undefined)
    return [{ field, message: `${field} must be given with ${given} for resources without a calendar day` }];
  const isLong = startOfDate(last) - startOfDate(first) >= MAX_DAYS * DAY_MS;
  return isLong ? [{ field, message: `last_day must be less than ${MAX_DAYS} days after first_day` }] : [];
}

/** Throws `invalid_request` for what has no numbers to sum up, and for parameters that speak of single records. */
function assertMeasured({ family, statistics }: Resource, query: RecordsListQuery): void {
  const single = (['order', 'updated_since', 'latest_per_day', 'fields'] as const).filter((field) => query[field]);
  const faults: FieldError[] = single.map((field) => ({ field, message: `${field} cannot be combined with every` }));
  if (family === 'pair' || statistics !== 'measure') {
    const message = 'every is supported only for measures with one number a sample; daily and hourly have the others';
    faults.unshift({ field: 'every', message });
  }
  if (faults.length > 0) throw invalidFields(...faults);
}

function isReversed<T extends number | string>(first: T | undefined, last: T | undefined): boolean {
  return first !== undefined && last !== undefined && first > last;
}
