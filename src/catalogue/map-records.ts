import { isFields, numberOrNull, textOrEmpty } from '../platform/json-reader.js';
import { optionalTime, requiredTime } from './bounds.js';
import type { Family, Resource } from './catalogue.js';
import {
  isOffsetOutOfRange,
  type Records,
  type RejectionReason,
  type Sample,
  type SeriesBatch,
  type SeriesKey,
  type SourceDetails,
  type SummaryRecord,
  sameDetails,
} from './records.js';
import { Rejected, Rejections } from './rejections.js';
import { unstorableKey, unstorableSample, unstorableSeries } from './storable.js';

/**
 * The part of upstream's group that matters here (docs/upstream/timeseries.md#groups,
 * docs/upstream/timeseries.md#source). Every field may be missing.
 */
export interface GroupLike {
  readonly source?: Readonly<Record<string, unknown>> | null;
  readonly data?: unknown;
}

type Point = Readonly<Record<string, unknown>>;

/**
 * Turns groups of a page, or the one group of an event, into samples. Parsing is lenient where published examples
 * are (docs/upstream/timeseries.md#sparse-examples): a point needs a time (`start`, else `timestamp`) and a value,
 * nothing else. Fields this program does not know are kept among the attributes.
 */
export function mapGroups(resource: Resource, groups: readonly GroupLike[]): Records {
  const series: SeriesByName = new Map();
  const rejections = new Rejections();
  let received = 0;
  for (const group of groups) {
    const points = Array.isArray(group.data) ? (group.data as unknown[]) : [];
    received += points.length;
    mapGroup(resource, { source: group.source ?? {}, points }, { series, rejections });
  }
  const filled = [...series.values()].filter((entry) => entry.samples.length > 0);
  const rejected = { rejected: rejections.count, rejections: rejections.list() };
  return { resource, samples: filled.map(inOrder), summaries: [], received, ...rejected };
}

function mapGroup(
  { family }: Resource,
  { source, points }: { source: Readonly<Record<string, unknown>>; points: readonly unknown[] },
  { series, rejections }: { series: SeriesByName; rejections: Rejections },
): void {
  const provider = providerOf(source);
  const sourceType = textOrEmpty(source['type']) || 'unknown';
  const details = detailsOf(source);
  const attributes = new AttributeTexts();
  let subSeries = '';
  let unstorable = unstorableSeries({ provider, sourceType, subSeries }, details);
  let samples = samplesOf(series, { provider, sourceType, subSeries });
  for (const point of points) {
    const sample = isFields(point)
      ? toSample(family, point, { attributes, details })
      : new Rejected(point === null ? 'no_value' : 'no_object');
    const own = isFields(point) ? textOrEmpty(point['type']) : subSeries;
    if (own !== subSeries) {
      subSeries = own;
      unstorable = unstorableSeries({ provider, sourceType, subSeries }, details);
      samples = samplesOf(series, { provider, sourceType, subSeries });
    }
    if (sample instanceof Rejected) rejections.add(sample, shownProvider(provider), point);
    else if (provider === '') rejections.add(new Rejected('no_provider', sample.time), '', point);
    else if (unstorable) rejections.add(new Rejected(unstorable, sample.time), shownProvider(provider), point);
    else samples.push(sample);
  }
}

/** A provider that makes no key cannot be stored with what is rejected either. */
function shownProvider(provider: string): string {
  return unstorableKey([provider]) === null ? provider : '';
}

/**
 * The provider is in `provider`, in older payloads in `slug` (docs/upstream/timeseries.md#source); without one there is
 * no key.
 */
function providerOf(source: Readonly<Record<string, unknown>>): string {
  return textOrEmpty(source['provider']) || textOrEmpty(source['slug']);
}

function detailsOf(source: Readonly<Record<string, unknown>>): SourceDetails {
  return {
    deviceId: textOrEmpty(source['device_id']),
    workoutId: textOrEmpty(source['workout_id']),
    sport: textOrEmpty(source['sport']),
  };
}

type SeriesByName = Map<string, { key: SeriesKey; samples: Sample[] }>;

function samplesOf(series: SeriesByName, key: SeriesKey): Sample[] {
  const name = JSON.stringify([key.provider, key.sourceType, key.subSeries]);
  let entry = series.get(name);
  if (!entry) series.set(name, (entry = { key, samples: [] }));
  return entry.samples;
}

/** By rising time; of two with the same time and details the later one in the page stays. */
function inOrder({ key, samples }: { key: SeriesKey; samples: Sample[] }): SeriesBatch {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1] as Sample).time)) {
    return { key, samples };
  }
  const byTime = new Map<number, Sample[]>();
  for (const sample of samples) {
    const siblings = byTime.get(sample.time) ?? [];
    const known = siblings.findIndex(({ details }) => sameDetails(details, sample.details));
    siblings[known < 0 ? siblings.length : known] = sample;
    byTime.set(sample.time, siblings);
  }
  return { key, samples: [...byTime].sort(([a], [b]) => a - b).flatMap(([, siblings]) => siblings) };
}

function toSample(
  family: Family,
  point: Point,
  { attributes, details }: { attributes: AttributeTexts; details: SourceDetails },
): Sample | Rejected {
  const time = requiredTime(point['start'] ?? point['timestamp']);
  if (time instanceof Rejected) return time;
  const end = optionalTime(point['end']);
  if (end instanceof Rejected) return new Rejected(end.reason, time);
  if (isOffsetOutOfRange(point['timezone_offset'])) return new Rejected('offset_out_of_range', time);
  const value = valueOf(family, point);
  if (typeof value === 'string') return new Rejected(value, time);
  const others = attributes.of(point);
  const unstorable = unstorableSample(value.text, others);
  if (unstorable !== null) return new Rejected(unstorable, time);
  return { time, ...value, durationMs: end === null ? null : end - time, attributes: others, details };
}

/** A number, for a pair two, for a text a text; or what is wrong with it. */
function valueOf(family: Family, point: Point): Pick<Sample, 'value' | 'value2' | 'text'> | RejectionReason {
  if (family === 'text') {
    const text = point['value'];
    return typeof text === 'string' ? { value: null, value2: null, text } : faultOf([text]);
  }
  const given = family === 'pair' ? [point['systolic'], point['diastolic']] : [point['value']];
  const [value = null, value2 = null] = given.map(numberOrNull);
  if (value === null || (family === 'pair' && value2 === null)) return faultOf(given);
  return { value, value2, text: null };
}

function faultOf(values: readonly unknown[]): RejectionReason {
  return values.some((value) => value === null || value === undefined) ? 'no_value' : 'unreadable_value';
}

/** Fields of a point that have a place of their own, or none: `id` and `grouping` are internal to upstream. */
const elsewhere: ReadonlySet<string> = new Set([
  'id',
  'grouping',
  'timestamp',
  'start',
  'end',
  'value',
  'systolic',
  'diastolic',
  'type',
]);

const placed: ReadonlySet<string> = new Set([...elsewhere, 'unit', 'timezone_offset']);

/** Neighbouring points nearly always carry the same attributes, so their JSON is made once. */
class AttributeTexts {
  private unit: unknown;
  private offset: unknown;
  private common = '';

  of(point: Point): string {
    for (const name in point) {
      if (!placed.has(name) && point[name] !== null) return attributesText(point);
    }
    if (!this.common || this.unit !== point['unit'] || this.offset !== point['timezone_offset']) {
      this.unit = point['unit'];
      this.offset = point['timezone_offset'];
      this.common = attributesText(point);
    }
    return this.common;
  }
}

/** Canonical: sorted names, nothing that is null. */
function attributesText(point: Point): string {
  const names = Object.keys(point).filter((name) => !elsewhere.has(name) && point[name] !== null);
  return JSON.stringify(Object.fromEntries(names.sort().map((name) => [name, point[name]])));
}

/**
 * Turns summary objects of a page, or the one of an event, into records. An object needs an id and a time, and what it
 * says of time must be right.
 */
export function mapSummaries(resource: Resource, objects: readonly unknown[]): Records {
  const records = new Map<string, SummaryRecord>();
  const rejections = new Rejections();
  for (const object of objects) {
    const record = isFields(object) ? toRecord(resource, object) : new Rejected('no_object');
    if (record instanceof Rejected)
      rejections.add(record, isFields(object) ? shownProvider(providerOfObject(object)) : '', object);
    else if (record.version >= (records.get(record.summaryId)?.version ?? Number.NEGATIVE_INFINITY)) {
      records.set(record.summaryId, record);
    }
  }
  const rejected = { rejected: rejections.count, rejections: rejections.list() };
  return { resource, samples: [], summaries: [...records.values()], received: objects.length, ...rejected };
}

type SummaryObject = Readonly<Record<string, unknown>>;

function toRecord(resource: Resource, object: SummaryObject): SummaryRecord | Rejected {
  const time = requiredTime(resource.timeField ? object[resource.timeField] : null);
  if (time instanceof Rejected) return time;
  const endTime = optionalTime(resource.endField ? object[resource.endField] : null);
  if (endTime instanceof Rejected) return new Rejected(endTime.reason, time);
  const calendarDate = dayOf(object['calendar_date']);
  if (calendarDate instanceof Rejected) return new Rejected(calendarDate.reason, time);
  const version = versionOf(object['updated_at'] ?? object['created_at']);
  if (version instanceof Rejected) return new Rejected(version.reason, time);
  if (isOffsetOutOfRange(object['timezone_offset'])) return new Rejected('offset_out_of_range', time);
  const summaryId = textOrEmpty(object['id']);
  if (!summaryId) return new Rejected('no_id', time);
  const source = sourceOf(object);
  const provider = providerOfObject(object) || 'unknown';
  const sourceType = textOrEmpty(source['type']) || textOrEmpty(object['source_type']) || 'unknown';
  const unstorable = unstorableKey([summaryId, provider, sourceType]);
  if (unstorable !== null) return new Rejected(unstorable, time);
  return { summaryId, time, endTime, calendarDate, provider, sourceType, version, raw: JSON.stringify(object) };
}

function providerOfObject(object: SummaryObject): string {
  return providerOf(sourceOf(object)) || textOrEmpty(object['source_provider']);
}

function sourceOf(object: SummaryObject): SummaryObject {
  return isFields(object['source']) ? object['source'] : {};
}

/** The calendar day as it stands, without a time of day; '' and null name none. */
function dayOf(value: unknown): string | null | Rejected {
  if (value === undefined || value === null || value === '') return null;
  const time = optionalTime(value);
  if (time instanceof Rejected) return time;
  return (value as string).slice(0, 'YYYY-MM-DD'.length);
}

/**
 * In microseconds: upstream writes up to six decimals of a second, and a change within one millisecond is still a newer
 * version. 0 where upstream gives none.
 */
function versionOf(value: unknown): number | Rejected {
  const time = optionalTime(value);
  if (time === null || time instanceof Rejected) return time ?? 0;
  const decimals = /\.(\d{1,6})/.exec(value as string)?.[1] ?? '';
  return Math.floor(time / 1000) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}
