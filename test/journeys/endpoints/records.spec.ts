import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { compareWithTruth } from '../../support/compare.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Task {
  resource: string;
  status: string;
  last_error: string | null;
}

type Fault = Partial<FaultRule>;

const hour = 3_600;

let app: TestApp;

beforeEach(async () => {
  app = await TestApp.create();
});

afterEach(() => app.close());

const fault = (path: string, rule: Fault): Promise<unknown> =>
  app.sandbox.control.fault({ kind: 'status', path, ...rule });
const mend = (): Promise<void> => app.sandbox.control.clearFaults();

describe.each(['mindfulness_minutes', 'blood_pressure', 'sleep'])('%s, pulled from upstream,', (resource) => {
  const path = `^/v2/(timeseries/[^/]+/${resource}/grouped|summary/${resource}/)`;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    account_id = newAccountId();
    await app.sandbox.control.configure({ page_size: 10 });
  });

  const connect = async (): Promise<void> => {
    user_id = await app.connect(account_id, 'oura', { days: 40, per_day: 1 });
    await app.advance(300, 5);
  };
  const tasks = async (status: string): Promise<Task[]> => {
    const { body } = await app.admin<{ data: Task[] }>('GET', `/sync/tasks?status=${status}&account_id=${account_id}`);
    return body.data.filter((task) => task.resource === resource);
  };
  const expectWhole = async (): Promise<void> => {
    const { upstream, stored, differing } = await compareWithTruth(app, { account_id, user_id }, resource);
    expect([stored, differing]).toEqual([upstream, 0]);
    expect(upstream).toBeGreaterThan(30);
  };

  it('arrives completely, and is shown to its owner only [summaries#the-call] [timeseries#the-call]', async () => {
    await connect();
    await expectWhole();
    const own = await app.as<{ data: unknown[] }>(account_id, 'GET', `/me/records/${resource}?limit=500`);
    expect(own.body.data.length).toBeGreaterThan(30);
    const stranger = await app.as(newAccountId(), 'GET', `/me/records/${resource}`);
    expect([stranger.status, stranger.body['data']]).toEqual([200, []]);
  });

  it.each([403, 422])('fails visibly if upstream refuses with %i, and arrives on request', async (status) => {
    await fault(path, { status });
    await connect();
    expect(await tasks('failed')).toContainEqual(expect.objectContaining({ last_error: 'upstream_rejected' }));
    expect((await app.as(account_id, 'GET', `/me/records/${resource}`)).body['data']).toEqual([]);
    await mend();
    const asked = await app.admin('POST', `/accounts/${account_id}/sync`, { resources: [resource] });
    expect(asked.status).toBe(202);
    await app.settle();
    await expectWhole();
  });

  it.each<[string, Fault, string]>([
    ['a refused key', { status: 401 }, 'upstream_unauthorized'],
    ['a wish to slow down', { status: 429, retry_after: 30 }, 'upstream_throttled'],
    ['an outage', { status: 503 }, 'upstream_unavailable'],
    ['an answer cut off in the middle', { kind: 'truncate' }, 'upstream_unavailable'],
  ])('waits visibly after %s, then arrives completely', async (_, rule, last_error) => {
    await fault(path, rule);
    await connect();
    expect(await tasks('pending')).toContainEqual(expect.objectContaining({ last_error }));
    await mend();
    await app.advance(hour, 4);
    expect(await tasks('failed')).toEqual([]);
    await expectWhole();
  });
});

describe('sleep summaries', () => {
  const documented = [
    ...['id', 'user_id', 'date', 'calendar_date', 'bedtime_start', 'bedtime_stop', 'created_at', 'updated_at'],
    ...['timezone_offset', 'duration', 'total', 'awake', 'light', 'deep', 'rem', 'latency', 'efficiency'],
    ...['average_hrv', 'hr_average', 'hr_lowest', 'respiratory_rate', 'skin_temperature', 'temperature_delta'],
    ...['recovery_readiness_score', 'source'],
  ];

  it('keep every documented field, as in upstream [summaries#sleep]', async () => {
    const account_id = newAccountId();
    const user_id = await app.connect(account_id, 'oura', { days: 2, per_day: 1 });
    const measured = { efficiency: 0.97, temperature_delta: -0.31, average_hrv: 41.5, skin_temperature: 34.2 };
    const summaries = [{ bedtime_start: '2026-11-19T22:00:00+00:00', latency: 540, hr_average: 51, ...measured }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'sleep', summaries, notify: false });
    await app.advance(2 * hour, 4);
    const { rows } = await app.sandbox.control.truth<Record<string, unknown>>(user_id, 'sleep');
    const night = rows.find((row) => row['latency'] === 540);
    const { body } = await app.admin<{ data: { data: Record<string, unknown> }[] }>(
      'GET',
      `/accounts/${account_id}/records/sleep`,
    );
    const stored = body.data.map(({ data }) => data).find((data) => data['latency'] === 540);
    expect(documented.filter((field) => stored?.[field] === undefined)).toEqual([]);
    expect(stored).toEqual(night);
    expect(stored).toMatchObject(measured);
  });
});

describe('historical pulls', () => {
  interface Pull {
    resource: string;
    status: string;
    release: string | null;
    trace_id: string | null;
    days_with_data: number | null;
    range_start: string | null;
    ended_at: string | null;
    error_details: string | null;
  }

  const pulls = async (account_id: string): Promise<Pull[]> =>
    (await app.admin<{ data: Pull[] }>('GET', `/historical-pulls?account_id=${account_id}`)).body.data;
  const told = async (user_id: string): Promise<Record<string, Pull & { timeline: { ended_at: string } }>> => {
    const headers = { 'x-service-api-key': 'sk_us_sandbox' };
    const answer = await fetch(`${app.sandbox.url}/v2/introspect/historical_pull?user_id=${user_id}`, { headers });
    const { data } = (await answer.json()) as { data: [{ provider: { oura: { pulled: never } } }] };
    return data[0].provider.oura.pulled;
  };
  const iso = (time: string | null | undefined): string | null => (time ? new Date(time).toISOString() : null);

  it('show all fields of each [introspection#historical-pulls] [introspection#records-of-pulls]', async () => {
    const account_id = newAccountId();
    const user_id = await app.connect(account_id, 'oura', { days: 10, per_day: 1 });
    await app.advance(900, 10);
    const upstream = await told(user_id);
    const shown = await pulls(account_id);
    expect(shown.map(({ resource }) => resource).sort()).toEqual(Object.keys(upstream).sort());
    for (const pull of shown) {
      const own = upstream[pull.resource];
      expect(pull).toMatchObject({
        status: 'success',
        release: own?.release,
        trace_id: own?.trace_id,
        days_with_data: own?.days_with_data,
        range_start: iso(own?.range_start),
        ended_at: iso(own?.timeline.ended_at),
        error_details: null,
      });
      expect([typeof own?.release, typeof own?.trace_id]).toEqual(['string', 'string']);
    }
  });

  it.each<[string, Fault]>([
    ['503', { status: 503 }],
    ['401', { status: 401 }],
    ['422', { status: 422 }],
    ['no JSON', { kind: 'bad_json' }],
  ])(
    'do not change if upstream responds with %s, and continue afterwards [introspection#historical-pulls]',
    async (_, rule) => {
      const account_id = newAccountId();
      await app.sandbox.control.configure({ pull_duration_seconds: 600 });
      await app.connect(account_id, 'oura', { days: 10, per_day: 1 });
      await app.settle();
      await app.sandbox.control.fault({ kind: 'lose' });
      await app.advance(60, 6);
      const before = await pulls(account_id);
      expect(before.map(({ status }) => status)).toEqual(['in_progress', 'in_progress', 'in_progress']);
      await fault('/v2/introspect', rule);
      await app.advance(hour, 6);
      expect(await pulls(account_id)).toEqual(before);
      await mend();
      await app.advance(7 * hour, 14);
      expect((await pulls(account_id)).map(({ status }) => status)).toEqual(['success', 'success', 'success']);
      const { body } = await app.as<{ data: unknown[] }>(account_id, 'GET', '/me/records/sleep');
      expect(body.data.length).toBeGreaterThan(5);
    },
  );
});
