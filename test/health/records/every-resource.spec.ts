import type { Json } from '../../../sandbox/control-client.js';
import { findSeries, findSummary } from '../../../sandbox/facts/catalogue.js';
import { catalogue, type Resource } from '../../../src/health/catalogue/catalogue.js';
import { formOfStored, formOfTruth, type Stored, withoutProvenance } from './support/same-form.js';
import { pulledByPage, type SentEvent, type Stand, TwoWays } from './support/two-ways.js';

let ways: TwoWays;
let userId: string;
let sent: ReadonlyMap<string, readonly SentEvent[]>;
/** After the news, and after the changes. */
let stands: readonly [Stand, Stand];

beforeAll(async () => {
  ways = await TwoWays.create();
  userId = await ways.news();
  const first = await ways.stand(userId);
  await ways.changes(userId);
  stands = [first, await ways.stand(userId)];
  sent = await ways.sent();
});

afterAll(() => ways.close());

type Row = [string, Resource];
const rows = (keep: (resource: Resource) => boolean): Row[] => catalogue.filter(keep).map((each) => [each.name, each]);
const kinds = (records: readonly Stored[] = []): string[] => [...new Set(records.map((r) => r.provenance.kind))];

/** Upstream has a stream for each workout, and only of those it told of are they fetched. */
function expectTruth(resource: Resource, stored: readonly Stored[] = [], truth: readonly Json[] = []): void {
  const held = stored.map((record) => formOfStored(resource, record)).sort();
  const wanted = truth.map((row) => formOfTruth(resource, row)).sort();
  expect(held.length).toBeGreaterThan(0);
  if (resource.family === 'stream') expect(wanted).toEqual(expect.arrayContaining(held));
  else expect(held).toEqual(wanted);
}

describe('each of the 61 resources', () => {
  it.each(rows(() => true))('%s has the same facts in the simulated upstream', (name, resource) => {
    const [series, summary] = [findSeries(name), findSummary(name)];
    if (series) {
      expect(series).toMatchObject({ name, family: resource.family, unit: resource.unit, event: resource.eventName });
      expect(resource.responseKey).toBe('groups');
    } else if (summary) {
      expect(summary).toMatchObject({ name, responseKey: resource.responseKey });
      expect(resource).toMatchObject({ family: 'summary', eventName: name, dateOnly: summary.parameters === 'date' });
      expect(resource.timeField).toBe(summary.timeField ?? 'updated_at');
    } else {
      expect(resource).toMatchObject({ name: 'workout_stream', family: 'stream', eventName: name, pulled: false });
    }
  });

  it.each(rows(({ eventName }) => eventName !== null))(
    '%s is stored from its events as in upstream, when new and when changed [webhooks#created-and-updated]',
    (name, resource) => {
      const types = ['created', 'updated'].map((what) => `daily.data.${resource.eventName}.${what}`);
      expect(sent.get(name)?.map(({ event_type }) => event_type)).toEqual(expect.arrayContaining(types));
      for (const { heard, truth } of stands) expectTruth(resource, heard.get(name), truth.get(name));
      expect(kinds(stands[1].heard.get(name))).toEqual(['message']);
    },
  );

  it.each(rows(({ family }) => family !== 'stream'))(
    '%s is stored from its pages as in upstream, when new and when changed [timeseries#the-call]',
    (name, resource) => {
      for (const { pulled, truth } of stands) expectTruth(resource, pulled.get(name), truth.get(name));
      expect(kinds(stands[1].pulled.get(name))).toEqual(['sync']);
    },
  );

  it.each(pulledByPage.map(({ name }) => name))(
    '%s is the same record from event and page [summaries#sleep] [webhooks#summary-events]',
    (name) => {
      const forms = (records: readonly Stored[] = []): string[] => records.map(withoutProvenance).sort();
      for (const { heard, pulled } of stands) expect(forms(heard.get(name))).toEqual(forms(pulled.get(name)));
      expect(forms(stands[0].heard.get(name))).not.toEqual(forms(stands[1].heard.get(name)));
    },
  );
});

describe('the events of this test', () => {
  const points = (name: string): readonly Json[] => (sent.get(name) ?? []).flatMap(({ data }) => data.data ?? []);
  const hasTypes = (name: string): boolean => (findSeries(name)?.types.length ?? 0) > 0;
  const isSeries = ({ name, eventName }: Resource): boolean => eventName !== null && findSeries(name) !== undefined;

  it.each(rows((resource) => isSeries(resource) && !hasTypes(resource.name)))(
    'contain points of %s with every field, and without those that published examples omit [timeseries#points] [timeseries#sparse-examples]',
    (name) => {
      const [bare, full] = [points(name).filter((p) => !('type' in p)), points(name).filter((p) => 'type' in p)];
      expect([bare.length > 0, full.length > 0]).toEqual([true, true]);
      expect(bare.filter((point) => 'id' in point || ('start' in point && 'timestamp' in point))).toEqual([]);
    },
  );

  it.each(rows((resource) => isSeries(resource) && hasTypes(resource.name)))(
    'contain sub-series of %s [timeseries#sub-series]',
    (name) => {
      expect(new Set(points(name).map((point) => point['type'])).size).toBeGreaterThan(1);
      expect(new Set(stands[1].heard.get(name)?.map((record) => record['type'])).size).toBeGreaterThan(1);
    },
  );

  it.each([
    ['body_temperature', 'sensor_location'],
    ['body_temperature_delta', 'sensor_location'],
    ['insulin_injection', 'delivery_mode'],
    ['insulin_injection', 'delivery_form'],
    ['note', 'tags'],
    ['workout_duration', 'intensity'],
  ])('contain for %s the rarer field %s, which is kept', (name, field) => {
    expect(points(name).some((point) => (point[field] ?? null) !== null)).toBe(true);
    expect(stands[1].heard.get(name)?.some(({ attributes }) => attributes && field in attributes)).toBe(true);
  });
});

it('knows no event of the one resource without events, and does not pull it [timeseries#forms-that-have-ended]', async () => {
  const { message_id } = await ways.hearer.sandbox.control.send({
    event_type: 'daily.data.hypnogram.created',
    user_id: userId,
    data: { source: { provider: 'oura' }, data: [] },
  });
  await ways.hear();
  const message = await ways.hearer.admin('GET', `/messages/${message_id}`);
  expect(message.body).toMatchObject({ status: 'ignored', reason: 'unknown_resource' });
  const pull = await ways.puller.admin('POST', `/accounts/${ways.account}/sync`, { resources: ['hypnogram'] });
  expect([pull.status, pull.body['code']]).toEqual([400, 'invalid_request']);
});
