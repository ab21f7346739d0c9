import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

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

  it('show all that upstream tells of each [introspection#historical-pulls] [introspection#records-of-pulls]', async () => {
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
    'stay as they were when upstream answers with %s, and go on afterwards [introspection#historical-pulls]',
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
