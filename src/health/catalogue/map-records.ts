import { isFields, textOrEmpty } from '../../platform/platform/json-reader.js';
import { type TimeRange, toIso } from '../../platform/platform/time.js';
import { dateIn } from '../../platform/platform/zone-clock.js';
import { endTime, optionalTime, requiredTime } from './bounds.js';
import type { Resource } from './catalogue.js';
import { AttributeTexts, type OfSource, toSample } from './map-points.js';
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
import { unstorableKey, unstorableSeries } from './storable.js';
import { MAX_POINTS_A_TURN, MAX_SUMMARIES_A_TURN } from './tuning.js';

/**
 * The part of upstream's group that matters here (docs/upstream/timeseries.md#groups,
 * docs/upstream/timeseries.md#source). Every field may be missing.
 */
export interface GroupLike {
  readonly source?: Readonly<Record<string, unknown>> | null;
  readonly data?: unknown;
}

/**
 * Maps the groups of a page, or the one group of an event, to samples. Parsing is as lenient as upstream's published
 * examples are sparse (docs/upstream/timeseries.md#sparse-examples): a point needs only a time (`start`, else
 * `timestamp`) and a value. Unknown fields are kept among the attributes.
 */
export function mapGroups(resource: Resource, groups: readonly GroupLike[]): Records {
  return withoutPauses(mapGroupsInParts(resource, groups));
}

/** The same, pausing after every {@link MAX_POINTS_A_TURN} points. */
export function* mapGroupsInParts(resource: Resource, groups: readonly GroupLike[]): Generator<void, Records> {
  const series: SeriesByName = new Map();
  const rejections = new Rejections();
  let received = 0;
  for (const { source, data } of groups) {
    const points = Array.isArray(data) ? (data as unknown[]) : [];
    const group = new Group(resource, source ?? {}, { series, rejections });
    for (const point of points) {
      group.add(point);
      if (++received % MAX_POINTS_A_TURN === 0) yield;
    }
  }
  const filled = [...series.values()].filter((entry) => entry.samples.length > 0);
  const samples = filled.map((entry) => inOrder(entry, rejections));
  const rejected = { rejected: rejections.count, rejections: rejections.list() };
  return { resource, samples, summaries: [], received, ...rejected };
}

/** Adds the points of one source to their series, or rejects them. */
class Group implements OfSource {
  private readonly key: SeriesKey;
  readonly details: SourceDetails;
  readonly attributes: AttributeTexts;
  private subSeries = '';
  private unstorable: RejectionReason | null;
  private samples: Sample[];

  constructor(
    private readonly resource: Resource,
    source: Readonly<Record<string, unknown>>,
    private readonly into: { series: SeriesByName; rejections: Rejections },
  ) {
    this.key = { provider: providerOf(source), sourceType: textOrEmpty(source['type']) || 'unknown', subSeries: '' };
    this.details = detailsOf(source);
    this.attributes = new AttributeTexts(textOrEmpty(source['app_id']));
    this.enter('');
  }

  add(point: unknown): void {
    const sample = this.sampleOf(point);
    if (isFields(point) && textOrEmpty(point['type']) !== this.subSeries) this.enter(textOrEmpty(point['type']));
    const { provider } = this.key;
    if (sample instanceof Rejected) this.reject(sample, point);
    else if (provider === '') this.reject(new Rejected('no_provider', sample.time), point);
    else if (this.unstorable) this.reject(new Rejected(this.unstorable, sample.time), point);
    else this.samples.push(sample);
  }

  private sampleOf(point: unknown): Sample | Rejected {
    if (!isFields(point)) return new Rejected(point === null ? 'no_value' : 'no_object');
    return toSample(this.resource.family, point, this);
  }

  private enter(subSeries: string): void {
    const key = { ...this.key, subSeries };
    this.subSeries = subSeries;
    this.unstorable = unstorableSeries(key, this.details);
    this.samples = samplesOf(this.into.series, key);
  }

  private reject(rejected: Rejected, point: unknown): void {
    this.into.rejections.add(rejected, shownProvider(this.key.provider), point);
  }
}

/** '' for a provider that is not storable as part of a key: it cannot be stored with the rejection either. */
function shownProvider(provider: string): string {
  return unstorableKey([provider]) === null ? provider : '';
}

/**
 * The provider is in `provider`, in older payloads in `slug` (docs/upstream/timeseries.md#source). '' if neither is
 * present; points without a provider have no key.
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

/**
 * Sorts samples by time. Samples of one time that differ in more than their value stay side by side
 * (docs/meaning.md#identity). Of two that differ in their value alone the later one stays, and the other one is
 * rejected.
 */
function inOrder({ key, samples }: { key: SeriesKey; samples: Sample[] }, rejections: Rejections): SeriesBatch {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1] as Sample).time)) {
    return { key, samples };
  }
  const byTime = new Map<number, Sample[]>();
  for (const sample of samples) {
    const siblings = byTime.get(sample.time) ?? [];
    const known = siblings.findIndex((one) => isSamePoint(one, sample));
    const before = siblings[known];
    if (before && (before.value !== sample.value || before.value2 !== sample.value2)) {
      rejections.add(new Rejected('repeated', before.time), key.provider, pointOf(key, before));
    }
    siblings[known < 0 ? siblings.length : known] = sample;
    byTime.set(sample.time, siblings);
  }
  return { key, samples: [...byTime].sort(([a], [b]) => a - b).flatMap(([, siblings]) => siblings) };
}

function isSamePoint(a: Sample, b: Sample): boolean {
  return (
    a.attributes === b.attributes &&
    a.durationMs === b.durationMs &&
    a.text === b.text &&
    sameDetails(a.details, b.details)
  );
}

/** A rejected sample as a point, with the fields that were sent. */
function pointOf({ subSeries }: SeriesKey, { time, value, value2, durationMs, attributes }: Sample): object {
  return {
    ...(JSON.parse(attributes) as object),
    ...(value2 === null ? { value } : { systolic: value, diastolic: value2 }),
    ...(subSeries !== '' && { type: subSeries }),
    ...(durationMs === null ? { timestamp: toIso(time) } : { start: toIso(time), end: toIso(time + durationMs) }),
  };
}

/**
 * Maps the summary objects of a page, or the one of an event, to records. An object needs an id and a time, and all its
 * times must be valid.
 */
export function mapSummaries(resource: Resource, objects: readonly unknown[]): Records {
  return withoutPauses(mapSummariesInParts(resource, objects));
}

/** The same, pausing after every {@link MAX_SUMMARIES_A_TURN} objects. */
export function* mapSummariesInParts(resource: Resource, objects: readonly unknown[]): Generator<void, Records> {
  const records = new Map<string, SummaryRecord>();
  const rejections = new Rejections();
  for (const [index, object] of objects.entries()) {
    if (index > 0 && index % MAX_SUMMARIES_A_TURN === 0) yield;
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
  const timeText = resource.timeField ? object[resource.timeField] : null;
  const time = requiredTime(timeText);
  if (time instanceof Rejected) return time;
  const end = endTime(resource.endField ? object[resource.endField] : null, time);
  if (end instanceof Rejected) return new Rejected(end.reason, time);
  const calendarDate = calendarDateOf(resource, object, { start: time, end: end ?? time });
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
  const kind = kindOf(resource, object);
  const raw = JSON.stringify(object);
  return { summaryId, time, endTime: end, calendarDate, provider, sourceType, version, kind, raw };
}

/** What decides, besides its source and times, which of the summaries of a day is shown (reads/records-of-day.ts). */
function kindOf(resource: Resource, object: SummaryObject): string | null {
  const kind = kindIn(resource, object);
  return typeof kind === 'string' && unstorableKey([kind]) === null ? kind : null;
}

function kindIn({ name, ofDay }: Resource, object: SummaryObject): unknown {
  if (object['is_predicted'] === true) return 'forecast';
  if (ofDay === 'main_sleep') {
    const kind = kindOfSleep(object);
    return object['state'] === 'tentative' ? `tentative ${textOrEmpty(kind)}` : kind;
  }
  if (name === 'workouts') return isFields(object['sport']) ? object['sport']['slug'] : null;
  if (name === 'meal') return sourceOf(object)['app_id'] ?? object['source_app_id'];
  return contents[name]?.every((field) => !(Number(object[field]) > 0)) ? 'no_activity' : null;
}

/** Amounts of a summary that are 0, or missing, where the device was not worn or measured something else. */
const contents: Readonly<Record<string, readonly string[]>> = {
  activity: ['steps', 'wheelchair_push', 'distance', 'calories_active', 'floors_climbed', 'low', 'medium', 'high'],
  body: [
    ...['weight', 'fat', 'water_percentage', 'muscle_mass_percentage', 'visceral_fat_index', 'bone_mass_percentage'],
    ...['body_mass_index', 'lean_body_mass_kilogram', 'waist_circumference_centimeter'],
  ],
};

/** The type of a sleep; `no_sleep` for time in bed without any. */
export function kindOfSleep({ type, total }: SummaryObject): unknown {
  return total === 0 ? 'no_sleep' : type;
}

function providerOfObject(object: SummaryObject): string {
  return providerOf(sourceOf(object)) || textOrEmpty(object['source_provider']);
}

function sourceOf(object: SummaryObject): SummaryObject {
  return isFields(object['source']) ? object['source'] : {};
}

/** A time that is only a date, such as the start of a period, serves as the calendar day; null for any other time. */
function dateAlone(value: unknown): string | null {
  return typeof value === 'string' && value.length === 'YYYY-MM-DD'.length ? value : null;
}

/** The day that an object names, itself or by its time zone; that of a night is when it ends. Null if it names none. */
function calendarDateOf(
  resource: Resource,
  object: SummaryObject,
  { start, end }: TimeRange,
): string | null | Rejected {
  const named = dayOf(object['calendar_date']) ?? dateAlone(resource.timeField ? object[resource.timeField] : null);
  const { time_zone: zone } = object;
  if (named !== null || typeof zone !== 'string') return named;
  return dateIn(zone, resource.ofNight ? end : start);
}

/** The calendar day as sent, without its time of day; null if it is missing, null or ''. */
function dayOf(value: unknown): string | null | Rejected {
  if (value === undefined || value === null || value === '') return null;
  const time = optionalTime(value);
  if (time instanceof Rejected) return time;
  return (value as string).slice(0, 'YYYY-MM-DD'.length);
}

/**
 * Version in microseconds, because upstream writes up to six decimals of a second and may change an object twice within
 * a millisecond. 0 if upstream sends none.
 */
function versionOf(value: unknown): number | Rejected {
  const time = optionalTime(value);
  if (time === null || time instanceof Rejected) return time ?? 0;
  const decimals = /\.(\d{1,6})/.exec(value as string)?.[1] ?? '';
  return Math.floor(time / 1000) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}

function withoutPauses(parts: Generator<void, Records>): Records {
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}
