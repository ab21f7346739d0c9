import { isFields, numberOrNull, textOrEmpty } from '../platform/json-reader.js';
import { lenientInstant } from '../platform/time.js';
import type { Family, Resource } from './catalogue.js';
import {
  type Records,
  type Sample,
  type SeriesBatch,
  type SeriesKey,
  type SummaryRecord,
  seriesName,
} from './records.js';

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
  const series = new Map<string, { key: SeriesKey; samples: Sample[] }>();
  const attributes = new AttributeTexts();
  let received = 0;
  let rejected = 0;
  for (const group of groups) {
    const points = Array.isArray(group.data) ? (group.data as unknown[]) : [];
    const source = sourceOf(group.source ?? {});
    received += points.length;
    if (!source) {
      rejected += points.length;
      continue;
    }
    let subSeries = '';
    let samples = samplesOf(series, { ...source, subSeries });
    for (const point of points) {
      const sample = isFields(point) ? toSample(resource.family, point, attributes) : null;
      if (!sample) {
        rejected += 1;
        continue;
      }
      const own = textOrEmpty((point as Point)['type']);
      if (own !== subSeries) {
        subSeries = own;
        samples = samplesOf(series, { ...source, subSeries });
      }
      samples.push(sample);
    }
  }
  const filled = [...series.values()].filter((entry) => entry.samples.length > 0);
  return { resource, samples: filled.map(inOrder), summaries: [], received, rejected };
}

/**
 * The provider is in `provider`, in older payloads in `slug` (docs/upstream/timeseries.md#source); without one there is
 * no key.
 */
function sourceOf(source: Readonly<Record<string, unknown>>): Omit<SeriesKey, 'subSeries'> | null {
  const provider = textOrEmpty(source['provider']) || textOrEmpty(source['slug']);
  if (!provider) return null;
  return {
    provider,
    sourceType: textOrEmpty(source['type']) || 'unknown',
    deviceId: textOrEmpty(source['device_id']),
    workoutId: textOrEmpty(source['workout_id']),
    sport: textOrEmpty(source['sport']),
  };
}

function samplesOf(series: Map<string, { key: SeriesKey; samples: Sample[] }>, key: SeriesKey): Sample[] {
  const name = seriesName(key);
  let entry = series.get(name);
  if (!entry) series.set(name, (entry = { key, samples: [] }));
  return entry.samples;
}

/** By rising time; of two with the same time the later one in the page stays. */
function inOrder({ key, samples }: { key: SeriesKey; samples: Sample[] }): SeriesBatch {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1] as Sample).time)) {
    return { key, samples };
  }
  const byTime = new Map(samples.map((sample) => [sample.time, sample]));
  return { key, samples: [...byTime.values()].sort((a, b) => a.time - b.time) };
}

function toSample(family: Family, point: Point, attributes: AttributeTexts): Sample | null {
  const time = lenientInstant(point['start'] ?? point['timestamp']);
  if (time === null) return null;
  const end = point['end'] === undefined ? null : lenientInstant(point['end']);
  const value = numberOrNull(family === 'pair' ? point['systolic'] : point['value']);
  const value2 = family === 'pair' ? numberOrNull(point['diastolic']) : null;
  const words = family === 'text' && typeof point['value'] === 'string' ? point['value'] : null;
  const complete = family === 'text' ? words !== null : value !== null && (family !== 'pair' || value2 !== null);
  if (!complete) return null;
  return {
    time,
    value: family === 'text' ? null : value,
    value2,
    text: words,
    durationMs: end === null ? null : end - time,
    attributes: attributes.of(point),
  };
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

/** Turns summary objects of a page, or the one of an event, into records. An object needs an id and a time. */
export function mapSummaries(resource: Resource, objects: readonly unknown[]): Records {
  const records = new Map<string, SummaryRecord>();
  let rejected = 0;
  for (const object of objects) {
    const record = isFields(object) ? toRecord(resource, object) : null;
    if (!record) rejected += 1;
    else if (record.version >= (records.get(record.summaryId)?.version ?? 0)) records.set(record.summaryId, record);
  }
  return { resource, samples: [], summaries: [...records.values()], received: objects.length, rejected };
}

function toRecord(resource: Resource, object: Readonly<Record<string, unknown>>): SummaryRecord | null {
  const summaryId = textOrEmpty(object['id']);
  const time = resource.timeField ? lenientInstant(object[resource.timeField]) : null;
  if (!summaryId || time === null) return null;
  const source = isFields(object['source']) ? object['source'] : {};
  return {
    summaryId,
    time,
    endTime: resource.endField ? lenientInstant(object[resource.endField]) : null,
    calendarDate: textOrEmpty(object['calendar_date']) || null,
    provider:
      textOrEmpty(source['provider']) ||
      textOrEmpty(source['slug']) ||
      textOrEmpty(object['source_provider']) ||
      'unknown',
    sourceType: textOrEmpty(source['type']) || textOrEmpty(object['source_type']) || 'unknown',
    version: microseconds(object['updated_at'] ?? object['created_at']),
    raw: JSON.stringify(object),
  };
}

/** Upstream writes up to six decimals of a second; a change within one millisecond is still a newer version. */
function microseconds(value: unknown): number {
  const time = lenientInstant(value);
  if (time === null) return 0;
  const decimals = /\.(\d{1,6})/.exec(value as string)?.[1] ?? '';
  return Math.floor(time / 1000) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}
