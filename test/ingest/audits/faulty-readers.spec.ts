import type { Resource } from '../../../src/health/catalogue/catalogue.js';
import type { Records, Sample, SummaryRecord } from '../../../src/health/catalogue/records.js';
import { glucose, insulin, notes, pressure, resourceNamed, sleep, temperatures } from './support/example-answers.js';
import { type ReadPage, readPage, StoredAnswers } from './support/stored-answers.js';

type Fields = Record<string, unknown>;

/** The reader, with a mistake in what it makes of samples. */
function ofSamples(mistake: (samples: readonly Sample[]) => readonly Sample[]): ReadPage {
  return (resource, page) => {
    const records = readPage(resource, page);
    return { ...records, samples: records.samples.map(({ key, samples }) => ({ key, samples: mistake(samples) })) };
  };
}

const ofEach = (mistake: (sample: Sample) => Sample): ReadPage => ofSamples((samples) => samples.map(mistake));

function ofKeys(
  mistake: (key: Records['samples'][number]['key']) => Partial<Records['samples'][number]['key']>,
): ReadPage {
  return (resource, page) => {
    const records = readPage(resource, page);
    const samples = records.samples.map((batch) => ({ ...batch, key: { ...batch.key, ...mistake(batch.key) } }));
    return { ...records, samples };
  };
}

function ofSummaries(mistake: (summary: SummaryRecord) => Partial<SummaryRecord>): ReadPage {
  return (resource, page) => {
    const records = readPage(resource, page);
    return { ...records, summaries: records.summaries.map((one) => ({ ...one, ...mistake(one) })) };
  };
}

const withoutAttribute = (name: string): ReadPage =>
  ofEach((sample) => {
    const { [name]: _, ...others } = JSON.parse(sample.attributes) as Fields;
    return { ...sample, attributes: JSON.stringify(others) };
  });

const withoutField = (name: string): ReadPage =>
  ofSummaries(({ raw }) => {
    const { [name]: _, ...others } = JSON.parse(raw) as Fields;
    return { raw: JSON.stringify(others) };
  });

/** Keeps the first sample of each time. */
const mergeSiblings = ofSamples((samples) =>
  [...new Map([...samples].reverse().map((one) => [one.time, one])).values()].reverse(),
);

const ofApp = [
  {
    groups: {
      oura: [
        {
          source: { provider: 'oura', type: 'ring', app_id: 'com.example' },
          data: [{ timestamp: '2026-11-02T07:00:00Z', unit: 'bpm', value: 60 }],
        },
      ],
    },
  },
];

const readers: readonly (readonly [mistake: string, resource: string, pages: readonly unknown[], read: ReadPage])[] = [
  ['merges a bolus with a basal segment', 'insulin_injection', insulin, mergeSiblings],
  ['merges two places of the body', 'body_temperature', temperatures, mergeSiblings],
  ['forgets what a dose is for', 'insulin_injection', insulin, withoutAttribute('bolus_purpose')],
  ['forgets how a dose is delivered', 'insulin_injection', insulin, withoutAttribute('delivery_mode')],
  ['loses the type of points', 'insulin_injection', insulin, ofKeys(() => ({ subSeries: '' }))],
  ['loses a unit', 'glucose', glucose, withoutAttribute('unit')],
  ['converts a unit', 'glucose', glucose, ofEach((one) => ({ ...one, value: (one.value ?? 0) / 18.0156 }))],
  ['loses an offset', 'glucose', glucose, withoutAttribute('timezone_offset')],
  ['adds the offset to the time', 'glucose', glucose, ofEach((one) => ({ ...one, time: one.time - 18_000_000 }))],
  ['loses the place of the body', 'body_temperature', temperatures, withoutAttribute('sensor_location')],
  ['rounds values', 'body_temperature', temperatures, ofEach((one) => ({ ...one, value: Math.round(one.value ?? 0) }))],
  ['cuts milliseconds', 'insulin_injection', insulin, ofEach((one) => ({ ...one, durationMs: cut(one.durationMs) }))],
  ['drops the end of intervals', 'insulin_injection', insulin, ofEach((one) => ({ ...one, durationMs: null }))],
  [
    'swaps the pressures',
    'blood_pressure',
    pressure,
    ofEach((one) => ({ ...one, value: one.value2, value2: one.value })),
  ],
  ['cuts a text', 'note', notes, ofEach((one) => ({ ...one, text: (one.text ?? '').slice(0, 5) }))],
  ['drops tags', 'note', notes, withoutAttribute('tags')],
  ['drops the app', 'heartrate', ofApp, withoutAttribute('app_id')],
  ['loses the type of a source', 'note', notes, ofKeys(() => ({ sourceType: 'unknown' }))],
  ['takes another provider', 'note', notes, ofKeys(() => ({ provider: 'garmin' }))],
  ['drops a field of a summary', 'sleep', sleep, withoutField('efficiency')],
  ['loses the offset of a night', 'sleep', sleep, withoutField('timezone_offset')],
  ['takes another day', 'sleep', sleep, ofSummaries(() => ({ calendarDate: '2026-11-01' }))],
  ['takes the end for the start', 'sleep', sleep, ofSummaries(({ endTime }) => ({ time: endTime ?? 0 }))],
  ['loses the end of a night', 'sleep', sleep, ofSummaries(() => ({ endTime: null }))],
  [
    'takes the time of creation for the version',
    'sleep',
    sleep,
    ofSummaries(({ version }) => ({ version: version - 3_600_000_000 })),
  ],
  ['merges two nights of a date', 'sleep', sleep, ofSummaries(() => ({ summaryId: 'night-1' }))],
];

function cut(ms: number | null): number | null {
  return ms === null ? null : ms - (ms % 1_000);
}

describe('a mistake in a reader', () => {
  let here: StoredAnswers;

  beforeAll(async () => {
    here = await StoredAnswers.create();
  });

  afterAll(() => here.close());

  async function differences(resource: Resource, pages: readonly unknown[], read?: ReadPage): Promise<number> {
    const account = await here.account();
    await here.pull(account, resource, pages, read);
    const compared = await here.compare(account, resource, pages);
    return compared.flatMap((day) => day.differences).length;
  }

  it.each(readers)('is found: it %s (%s)', async (_, name, pages, read) => {
    expect(await differences(resourceNamed(name), pages)).toBe(0);
    // PostgreSQL refuses to store two records under one key in one statement, which is no less visible.
    const found = await differences(resourceNamed(name), pages, read).catch((error: Error) => {
      if (!/cannot affect row a second time/.test(error.message)) throw error;
      return 1;
    });
    expect(found).toBeGreaterThan(0);
  });
});
