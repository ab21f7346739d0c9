import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { canonicalJson, momentOf, momentText, normalJson } from '../../../src/ingest/audits/canonical-json.js';
import {
  type CanonicalObject,
  canonicalSummary,
  fieldsOf,
  PointsWriter,
} from '../../../src/ingest/audits/canonical-object.js';
import { compareDays, hashOf } from '../../../src/ingest/audits/day-comparison.js';
import {
  leftOutOfPoints,
  leftOutOfSources,
  leftOutOfSummaries,
  unstableOfSources,
  unstableOfSummaries,
} from '../../../src/ingest/audits/left-out.js';
import { wireObjects } from '../../../src/ingest/audits/wire-objects.js';
import { isFields } from '../../../src/platform/platform/json-reader.js';
import { parseUtcInstant } from '../../../src/platform/platform/time.js';
import { resourceNamed } from './support/example-answers.js';

type Fields = Record<string, unknown>;

const text = readFileSync('docs/canonical-form.md', 'utf8');
const vectors = [...text.matchAll(/```json vector\n(.+)\n(.+)\n```/g)].map(([, given = '', line = '']) => {
  const input = JSON.parse(given) as { resource?: string; object?: unknown; source: Fields; point: unknown };
  return { input, line };
});

function objectOf({ input: { resource, object, source, point } }: (typeof vectors)[number]): CanonicalObject {
  return resource ? canonicalSummary(resourceNamed(resource), object) : new PointsWriter(source).shown(point);
}

/** The same form in the plainest way: a copy of the value, then its JSON. */
function plainly(value: unknown): unknown {
  if (typeof value === 'string') return instantOf(value) ?? Buffer.from(value).toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(plainly);
  if (!isFields(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [Buffer.from(name).toString(), plainly(inner)] as const);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== null && inner !== ''));
}

function instantOf(written: string): string | null {
  const pattern = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$/;
  const [, day = '', clock = '', seconds = '', fraction = '', offset = 'Z'] = pattern.exec(written) ?? [];
  if (day === '') return null;
  const local = new Date(
    `${day}T${clock}:${seconds === '60' ? '59.999' : `${seconds}.${`${fraction}000`.slice(0, 3)}`}Z`,
  );
  if (Number.isNaN(local.getTime()) || !local.toISOString().startsWith(day)) return null;
  const [hours = 0, minutes = 0] = /\d/.test(offset) ? offset.slice(1).split(':').map(Number) : [];
  const ahead = (hours * 60 + minutes) * 60_000;
  return new Date(local.getTime() - (offset.startsWith('-') ? -ahead : ahead)).toISOString();
}

/** Date-times, real ones and others that look like them. */
const times = fc
  .tuple(
    fc.constantFrom('2026-11-02', '2026-11-03', '2024-02-29', '2026-02-29', '0000-01-01', '9999-12-31', '2026-13-01'),
    fc.constantFrom('T', 't', ' ', '_'),
    fc.tuple(fc.nat({ max: 25 }), fc.nat({ max: 61 }), fc.nat({ max: 61 })),
    fc.constantFrom('', '.', '.5', '.12', '.123', '.9999', '.000000001'),
    fc.constantFrom('', 'Z', 'z', '+01:00', '-05:30', '+99:99', '+1:00', '-00:00'),
  )
  .map(([day, between, clock, fraction, offset]) => {
    const written = clock.map((number) => String(number).padStart(2, '0')).join(':');
    return `${day}${between}${written}${fraction}${offset}`;
  });

describe('the canonical form', () => {
  it('is the JSON of the value without what says nothing, with its date-times as instants', () => {
    const texts = fc.oneof(times, fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', 'a"\\\n'));
    const leaf = fc.oneof(texts, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(texts, tie('value'))),
    }));
    fc.assert(
      fc.property(value, (given) => expect(normalJson(given)).toBe(canonicalJson(plainly(given)))),
      { numRuns: 300 },
    );
  });

  it('reads and writes each moment, whatever the one before it', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date(-1e14), max: new Date(3e14) }),
        times,
        (date, written) => {
          expect(momentText(date.getTime())).toBe(date.toISOString());
          const instant = instantOf(written);
          expect(momentOf(written)).toBe(instant === null ? null : Date.parse(instant));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sorts the lines of a day by their bytes', () => {
    const lines = ['\ufb33', '😀', 'a'].map((text) => ({ day: null, provider: 'oura', text, whole: text }));
    const hash = createHash('sha256').update('a\n\ufb33\n😀\n').digest('hex');
    expect(hashOf(lines)).toBe(hash);
    expect(hashOf(lines.toReversed())).toBe(hash);
  });

  it('is that of the test vectors in docs/canonical-form.md', () => {
    expect(vectors.map((one) => objectOf(one).text)).toEqual(vectors.map(({ line }) => line));
    expect(vectors.length).toBe(3);
    const [, hash] = /```text hash\n(\w+)\n```/.exec(text) ?? [];
    expect(hashOf(vectors.slice(0, 2).map(objectOf))).toBe(hash);
    expect(hashOf(vectors.slice(0, 2).map(objectOf).reverse())).toBe(hash);
  });

  it('leaves out what docs/canonical-form.md lists, and nothing else', () => {
    const rows = [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$/gm)].slice(1);
    const listed = rows.flatMap(([, of = '', fields = '']) => {
      const names = [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      const owners = [...of.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => name !== 'source');
      return (owners.length > 0 ? owners : [of]).flatMap((owner) => names.map((name) => `${owner} ${name}`));
    });
    const known = [
      ...leftOutOfPoints.filter((name) => name !== 'timestamp').map((name) => `points ${name}`),
      ...[...leftOutOfSources, ...unstableOfSources].map((name) => `every \`source\` ${name}`),
      ...unstableOfSummaries.map((name) => `summaries ${name}`),
      ...Object.entries(leftOutOfSummaries).flatMap(([resource, names]) => names.map((name) => `${resource} ${name}`)),
    ];
    expect(listed.sort()).toEqual(known.sort());
  });

  it('is JSON of the same value, whatever the order of its names', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        const turned = JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
          typeof inner === 'object' && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).reverse())
            : inner,
        ) as unknown;
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
      }),
    );
  });

  it('has the names and numbers of the example of RFC 8785', () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
      '\ufb33': 1,
      '😀': 2,
      '€': 3,
      '\r': 4,
      1: 5,
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":4,"1":5,"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"€":3,"😀":2,"\ufb33":1}',
    );
  });

  it.each([
    ['2026-11-02T09:00:00+01:00', '2026-11-02T08:00:00Z'],
    ['2026-11-02 09:00:00.1239-05:30', '2026-11-02T14:30:00.123Z'],
    ['2026-11-02t09:00:00z', '2026-11-02T09:00:00Z'],
    ['2026-11-02T09:00:00', '2026-11-02T09:00:00Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2026-11-02', '2026-11-02T00:00:00Z'],
  ])('reads the time %s as %s, as the readers do', (written, instant) => {
    expect(momentOf(written)).toBe(Date.parse(instant));
    expect(parseUtcInstant(written)).toBe(Date.parse(instant));
  });

  it.each(['2026-02-30', '2026-02-30T10:00:00Z', '2026-11-02T25:00:00Z', '10:00', '', null, 5])(
    'reads no time in %s',
    (value) => {
      expect(momentOf(value)).toBeNull();
      expect(parseUtcInstant(value)).toBeNull();
    },
  );

  it('writes half of a surrogate pair as a database does', () => {
    expect(normalJson({ '\ud800': 'a\udfff', '\udfff': 2, '\udffe': null })).toBe('{"\ufffd":2}');
    expect(normalJson({ '\ud800': 'a\udfff' })).toBe('{"\ufffd":"a\ufffd"}');
  });
});

describe('the list of an answer', () => {
  const sleep = resourceNamed('sleep');
  const night = (score: number, updated_at: string) => ({
    id: 'n',
    bedtime_start: '2026-11-02T01:00:00Z',
    score,
    updated_at,
  });
  const scores = (...nights: unknown[]) => wireObjects(sleep, [{ sleep: nights }]).map((one) => fieldsOf(one).score);

  it('has a summary once, as upstream changed it last', () => {
    const [early, late] = ['2026-11-02T09:00:00.123400Z', '2026-11-02T09:00:00.123500Z'];
    expect(scores(night(2, late), night(1, early))).toEqual([2]);
    expect(scores(night(1, early), night(2, late))).toEqual([2]);
    expect(scores(night(1, early), night(2, early))).toEqual([2]);
  });

  it('has a point once that is on two pages, and one of each device', () => {
    const point = { timestamp: '2026-11-02T07:00:00Z', unit: 'bpm', value: 60 };
    const of = (device_id: string) => ({ source: { type: 'watch', device_id }, data: [point, { ...point, id: 3 }] });
    const pages = [{ groups: { oura: [of('a'), of('b')] } }, { groups: { oura: [of('a')] } }];
    const objects = wireObjects(resourceNamed('heartrate'), pages);
    expect(objects.map(({ provider, day }) => `${provider} ${day}`)).toEqual(['oura 2026-11-02', 'oura 2026-11-02']);
    expect(new Set(objects.map((one) => one.text)).size).toBe(1);
  });

  it('keeps what has no readable time out of every day', () => {
    const pages = [{ sleep: [null, 5, { id: 'a', bedtime_start: 'soon' }] }];
    expect(wireObjects(sleep, pages).map(({ day }) => day)).toEqual([null, null, null]);
    const steps = { groups: { oura: [{ source: null, data: [null, {}] }] } };
    expect(wireObjects(resourceNamed('steps'), [steps])).toHaveLength(2);
  });

  it.each([
    ['sleep', { sleep: 'none' }],
    ['sleep', null],
    ['steps', {}],
    ['steps', { groups: { oura: null } }],
    ['steps', { groups: { oura: [null] } }],
    ['steps', { groups: { oura: [{ source: {} }] } }],
  ])('proves nothing from an answer without the lists of objects (%s)', (name, page) => {
    expect(() => wireObjects(resourceNamed(name), [page])).toThrow('no list where its objects are');
  });
});

it('proves a day on which neither side has anything', () => {
  const [day] = compareDays(resourceNamed('steps'), 'oura', ['2026-11-02'], { wire: [], stored: [] });
  const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(day).toEqual({ provider: 'oura', day: '2026-11-02', objects: 0, hash, isEqual: true, differences: [] });
});
