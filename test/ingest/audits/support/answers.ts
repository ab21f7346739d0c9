import fc from 'fast-check';
import type { Resource } from '../../../../src/health/catalogue/catalogue.js';
import { type FieldText, summaryFields } from '../../../../src/health/catalogue/summary-fields.js';
import { canonicalJson, normalJson } from '../../../../src/ingest/audits/canonical-json.js';
import { groupedBy } from '../../../../src/platform/platform/grouped-by.js';

/* Random answers of upstream, as JSON. */

export const providers = ['oura', 'garmin'] as const;
export const firstDay = '2026-11-01';
export const days = [firstDay, '2026-11-02', '2026-11-03'];
const start = Date.parse(`${firstDay}T00:00:00Z`);
const SPAN_S = 3 * 86_400;

type Fields = Record<string, unknown>;

/** The same instant as upstream may write it. */
const writtenTime = (seconds: number) =>
  fc
    .constantFrom<(ms: number) => string>(
      (ms) => new Date(ms).toISOString(),
      (ms) => new Date(ms).toISOString().replace('.000Z', '+00:00'),
      (ms) => new Date(ms).toISOString().replace('.000Z', '.000000Z'),
      (ms) => new Date(ms + 19_800_000).toISOString().replace('.000Z', '+05:30'),
    )
    .map((write) => write(start + seconds * 1_000));

const anySource = fc.record(
  {
    provider: fc.constantFrom(...providers),
    type: fc.constantFrom('watch', 'ring', null),
    device_id: fc.constantFrom(null, 'd1', 'd2'),
    sport: fc.constantFrom(null, 'running'),
    workout_id: fc.constant(null),
    app_id: fc.constant(null),
    name: fc.constant('deprecated'),
  },
  { requiredKeys: ['provider'] },
);

const source: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ provider: 'oura', type: 'ring', device_id: null }) },
  { weight: 1, arbitrary: anySource },
);

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('é€😀', '2026-11-01T10:00:00+01:00'),
);
const storable = text.map((one) => one.replaceAll('\0', ' '));

const anyExtras = fc.record(
  {
    intensity: fc.constantFrom('low', 'high', null),
    sensor_location: fc.constantFrom('wrist', null),
    tags: fc.array(fc.constantFrom('food', 'exercise'), { maxLength: 2 }),
    new_field: fc.record({ b: fc.integer(), a: storable, none: fc.constant(null) }),
  },
  { requiredKeys: [] },
);

/** Mostly few, so that neighbours in a group differ in one of them. */
const extras: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.record({ intensity: fc.constantFrom('low', 'high') }) },
  { weight: 2, arbitrary: anyExtras },
);

function measured({ family }: Resource): fc.Arbitrary<Fields> {
  if (family === 'pair') return fc.record({ systolic: number, diastolic: number });
  return fc.record({ value: family === 'text' ? storable : number });
}

function pointAt(resource: Resource, seconds: number): fc.Arbitrary<Fields> {
  const isInterval = resource.family === 'interval' || resource.family === 'text';
  const end = fc.integer({ min: 0, max: 7_200 }).chain((length) => writtenTime(seconds + length));
  const times: fc.Arbitrary<Fields> = isInterval
    ? fc.record(
        { start: writtenTime(seconds), end, timestamp: writtenTime(seconds) },
        { requiredKeys: ['start', 'end'] },
      )
    : fc.record({ timestamp: writtenTime(seconds) });
  const common = fc.record(
    {
      id: fc.integer({ min: 1, max: 9 }),
      timezone_offset: fc.constantFrom(3_600, -18_000, null),
      type: fc.constantFrom(null, 'one', 'two'),
    },
    { requiredKeys: [] },
  );
  const unit = fc.constantFrom(resource.unit, 'other unit');
  return fc
    .tuple(times, common, unit, measured(resource), extras)
    .map(([when, rare, ofUnit, values, others]) => ({ ...when, ...rare, unit: ofUnit, ...values, ...others }));
}

/** What upstream distinguishes points by, so that no answer contradicts itself. */
function identityOf({ source: of, point }: { source: Fields; point: Fields }): string {
  const { id, timestamp, start: from, end, value, systolic, diastolic, ...others } = point;
  const moment = (one: unknown): number => Date.parse(String(one));
  const details = [of['provider'], of['type'] ?? '', of['device_id'] ?? '', of['sport'] ?? ''];
  const content = typeof value === 'string' ? value : '';
  return canonicalJson([details, moment(from ?? timestamp), moment(end), content, normalJson(others)]);
}

/** Points of three days, often several at one time, in groups of their source on one or two pages. */
function timeseries(resource: Resource): fc.Arbitrary<unknown[]> {
  const seconds = fc.oneof(fc.constantFrom(0, 60, 86_399, 86_400), fc.integer({ min: 0, max: SPAN_S - 1 }));
  const point = seconds.chain((at) => fc.record({ source, point: pointAt(resource, at) }));
  const points = fc.uniqueArray(point, { selector: identityOf, minLength: 1, maxLength: 12 });
  return fc.tuple(points, fc.nat({ max: 12 })).map(([all, cut]) =>
    [all.slice(0, cut), all.slice(cut)].map((own) => {
      const groups = groupsOf(own);
      return {
        groups: { oura: groups.filter(isOf('oura')), garmin: groups.filter(isOf('garmin')) },
        next_cursor: null,
      };
    }),
  );
}

/** A group for each source, with all of its points. */
function groupsOf(points: readonly { source: Fields; point: Fields }[]): { source: Fields; data: Fields[] }[] {
  const groups = groupedBy(points, (one) => canonicalJson(one.source));
  return [...groups.values()].map((own) => ({ source: own[0]?.source ?? {}, data: own.map(({ point }) => point) }));
}

function isOf(provider: string): (group: { source: Fields }) => boolean {
  return ({ source: of }) => of['provider'] === provider;
}

function valueOf(field: FieldText): fc.Arbitrary<unknown> {
  if (typeof field !== 'string') {
    return fc.record(Object.fromEntries(Object.entries(field).map(([name, inner]) => [name, valueOf(inner)])));
  }
  const [type] = field.split('|');
  if (type === 'number') return fc.option(number);
  if (type === 'integer') return fc.option(fc.integer());
  if (type === 'boolean') return fc.option(fc.boolean());
  if (type === 'array')
    return fc.option(fc.array(fc.oneof(fc.integer(), fc.constant(null), storable), { maxLength: 3 }));
  if (type === 'object') return fc.option(fc.dictionary(storable, fc.oneof(number, fc.constant(null)), { maxKeys: 3 }));
  return fc.option(storable);
}

function summaryAt(resource: Resource, seconds: number, index: number): fc.Arbitrary<Fields> {
  const { timeField, endField, hasDay, name } = resource;
  const { source: _, ...described } = summaryFields[name] ?? {};
  const fields = Object.fromEntries(Object.entries(described).map(([field, of]) => [field, valueOf(of)]));
  const isDate = timeField === 'calendar_date' || timeField === 'period_start';
  const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const at = (of: number) => (isDate ? fc.constant(date(start + of * 1_000)) : writtenTime(of));
  const certain: Record<string, fc.Arbitrary<unknown>> = {
    id: fc.constant(`${name}-${index}`),
    user_id: fc.constant('user'),
    source,
    created_at: writtenTime(0),
    updated_at: writtenTime(SPAN_S),
    timezone_offset: fc.constantFrom(3_600, null),
    ...(hasDay && { calendar_date: fc.constant(date(start + seconds * 1_000)) }),
    ...(timeField && { [timeField]: at(seconds) }),
    ...(endField && { [endField]: fc.option(at(seconds + 3_600)) }),
  };
  return fc.tuple(fc.record(fields, { requiredKeys: [] }), fc.record(certain)).map(([a, b]) => ({ ...a, ...b }));
}

function summaries(resource: Resource): fc.Arbitrary<unknown[]> {
  const { responseKey } = resource;
  const seconds = fc.integer({ min: 0, max: SPAN_S - 7_200 });
  const most = responseKey === null ? 1 : 4;
  return fc.array(seconds, { minLength: 1, maxLength: most }).chain((times) =>
    fc.tuple(...times.map((at, index) => summaryAt(resource, at, index))).map((objects) => {
      return [responseKey === null ? objects[0] : { [responseKey]: objects }];
    }),
  );
}

/** The pages of one answer about a resource. */
export function answers(resource: Resource): fc.Arbitrary<unknown[]> {
  const pages = resource.family === 'summary' ? summaries(resource) : timeseries(resource);
  return pages.map((all) => JSON.parse(JSON.stringify(all)) as unknown[]);
}
