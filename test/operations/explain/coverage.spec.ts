import { MAX_COUNTED_A_DAY } from '../../../src/health/catalogue/tuning.js';
import { recordDaysSql } from '../../../src/health/reads/record-days.reader.js';
import type { MeDto } from '../../../src/operations/app-api/me.dto.js';
import type { CoverageStreamDto } from '../../../src/operations/explain/coverage.dto.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { TestApp } from '../../support/test-app.js';

/** Each test starts the application and a sandbox. */
const hour = 3_600;
const day = 24 * hour;

/** The samples that the sandbox makes for this person have the offset 0. */
const personInUtc = 'user-8';

/** The clocks begin at 2026-11-20T12:00:00Z. */
describe('coverage of an account', () => {
  let app: TestApp;
  let account: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create({ env: { SYNC_BACKFILL_DAYS: '40' } });
    account = personInUtc;
    const login = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    user_id = login.body.user_id;
  });

  afterEach(() => app.close());

  const connect = async (options: object = {}): Promise<void> => {
    await app.sandbox.control.connect({ user_id, provider: 'oura', ...options });
    await app.advance(900, 5);
  };
  /** A day passes on which the source sends something. */
  const passDay = async (): Promise<void> => {
    await app.advance(day, 8);
    const points = [{ timestamp: new Date(app.clock.now()).toISOString(), value: 60 }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
  };
  const coverage = (query = '') => app.admin<Page<CoverageStreamDto>>('GET', `/accounts/${account}/coverage${query}`);
  const streams = async (query = ''): Promise<CoverageStreamDto[]> => (await coverage(query)).body.data;
  const one = async (resource: string, query = ''): Promise<CoverageStreamDto> => {
    const [stream] = await streams(`?resource=${resource}${query}`);
    if (!stream) throw new Error('no such stream');
    return stream;
  };
  /** What is told of a single day. */
  const told = async (resource: string, date: string): Promise<string> => {
    const { runs } = await one(resource, `&first_day=${date}&last_day=${date}`);
    return runs.map(({ state, whole, reason }) => `${state} ${whole ? 'whole' : reason}`).join();
  };

  it('of a new source is complete within history and our pulls, and pending while devices may still send', async () => {
    await connect({ history: { days: 5, per_day: 3 } });
    const { complete, whole_through, runs } = await one('mindfulness_minutes', '&first_day=2026-11-10');
    expect((await one('mindfulness_minutes', '&start=2026-11-10')).runs).toEqual(runs);
    const whole = { whole: true, reason: 'whole' };
    const again = (until: number): object => {
      return { whole: false, notes: ['asked_again'], asked_again_until: `2026-11-${until}T00:00:00.000Z` };
    };
    expect([complete, whole_through]).toEqual([false, '2026-11-17']);
    expect(runs).toEqual([
      run('2026-11-10', '2026-11-14', 5, { ...whole, state: 'confirmed_empty', notes: ['zone_unknown'] }),
      run('2026-11-15', '2026-11-17', 3, { ...whole, state: 'received', records: 9 }),
      run('2026-11-18', '2026-11-19', 2, { ...again(22), state: 'received', reason: 'pull_due', records: 6 }),
      run('2026-11-20', '2026-11-20', 1, { ...again(23), state: 'pending', reason: 'not_over' }),
    ]);
  });

  it('of a day becomes complete once it was pulled a look-back after it', async () => {
    await connect({ history: { days: 2, per_day: 1 } });
    const states: string[] = [await told('mindfulness_minutes', '2026-11-20')];
    for (let passed = 0; passed < 4; passed++) {
      await passDay();
      states.push(await told('mindfulness_minutes', '2026-11-20'));
    }
    const due = 'pending pull_due';
    expect(states).toEqual(['pending not_over', due, due, due, 'confirmed_empty whole']);
  });

  it('of a day after which the source sent nothing proves nothing, and is pulled again once the source sends', async () => {
    await connect({ history: { days: 2, per_day: 1 } });
    await app.advance(4 * day, 16);
    expect(await told('mindfulness_minutes', '2026-11-20')).toBe('unknown not_heard_since');
    await passDay();
    expect(await told('mindfulness_minutes', '2026-11-20')).toBe('unknown not_proven');
    await app.advance(day, 4);
    expect(await told('mindfulness_minutes', '2026-11-20')).toBe('confirmed_empty whole');
    const { body } = await app.admin<{ data: { resource: string; origin: string }[] }>(
      'GET',
      `/sync/tasks?account_id=${account}&limit=500`,
    );
    const again = body.data.filter((one) => one.origin === 'reread' && one.resource === 'mindfulness_minutes');
    expect(again).toHaveLength(1);
  });

  it('calls no day empty beyond the pulls of upstream, however often it was pulled here [introspection#records-of-pulls] [webhooks#historical-range]', async () => {
    await connect({ history: { days: 5, per_day: 3 } });
    await app.admin('POST', `/accounts/${account}/sync`, { start: '2026-06-01' });
    expect(await told('sleep', '2026-07-01')).toBe('pending pull_open');
    await app.settle();
    expect(await told('sleep', '2026-07-01')).toBe('unknown not_proven');
    expect(await told('sleep', '2026-11-01')).toBe('confirmed_empty whole');
  });

  it('of a history in which upstream counted nothing proves nothing, nor does its event [introspection#records-of-pulls]', async () => {
    await connect({ history: { days: 5, per_day: 1 }, pulls: { blood_pressure: { empty: true } } });
    expect(await told('blood_pressure', '2026-11-01')).toBe('unknown not_proven');
    expect(await told('mindfulness_minutes', '2026-11-01')).toBe('confirmed_empty whole');
  });

  it('of a history that the source pushes proves nothing [webhooks#historical-completion]', async () => {
    await app.sandbox.control.connect({ user_id, provider: 'garmin', history: { days: 5, per_day: 1 } });
    await app.advance(900, 5);
    expect(await told('mindfulness_minutes', '2026-11-01')).toBe('unknown not_proven');
    const { body } = await app.as<MeDto>(account, 'GET', '/me');
    expect(body.resources.find(({ resource }) => resource === 'mindfulness_minutes')?.history).toBe('unknown');
  });

  it('shows a failure of upstream', async () => {
    await connect({ history: { days: 5, per_day: 1 }, pulls: { sleep: { outcome: 'failure' } } });
    expect(await told('sleep', '2026-11-01')).toBe('failed_upstream upstream_pull_failed');
    expect(await told('mindfulness_minutes', '2026-11-01')).toBe('confirmed_empty whole');
  });

  it('shows a running pull of upstream, even for days with records', async () => {
    await connect({ pulls: { '*': { retries: 500 } } });
    await app.sandbox.control.put({
      user_id,
      provider: 'oura',
      resource: 'mindfulness_minutes',
      points: [{ start: '2026-11-02T08:00:00Z', end: '2026-11-02T08:10:00Z', value: 10 }],
      notify: true,
    });
    await app.settle();
    expect(await told('mindfulness_minutes', '2026-11-01')).toBe('pending upstream_pull_open');
    expect(await told('mindfulness_minutes', '2026-11-02')).toBe('received upstream_pull_open');
  });

  it('shows since when a source is broken', async () => {
    await connect({ history: { days: 5, per_day: 1 } });
    for (let passed = 0; passed < 3; passed++) await passDay();
    await app.sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    await app.advance(4 * day, 16);
    expect(await told('sleep', '2026-11-10')).toBe('confirmed_empty whole');
    expect(await told('sleep', '2026-11-23')).toBe('failed_upstream connection_error');
    expect(await told('sleep', '2026-11-27')).toBe('failed_upstream connection_error');
    await connect();
    for (let passed = 0; passed < 6; passed++) await passDay();
    await app.admin('POST', `/accounts/${account}/sync`, { start: '2026-11-01' });
    await app.settle();
    expect(await told('sleep', '2026-11-25')).toBe('unknown connection_gap');
    expect(await told('sleep', '2026-11-29')).toBe('confirmed_empty whole');
  });

  it('shows that the person did not allow a resource [connections#resource-availability]', async () => {
    await connect({ denied: ['sleep'], history: { days: 5, per_day: 1 } });
    expect(await told('sleep', '2026-11-10')).toBe('unknown resource_unavailable');
    expect(await told('blood_pressure', '2026-11-10')).toBe('confirmed_empty whole');
  });

  it('shows the days outside the bounds of the account [users#ingestion-bounds]', async () => {
    await connect({ history: { days: 5, per_day: 1 } });
    await app.admin('PATCH', `/accounts/${account}`, { ingestion_start: '2026-11-05' });
    expect(await told('sleep', '2026-11-04')).toBe('unknown outside_ingestion');
    expect(await told('sleep', '2026-11-05')).toBe('confirmed_empty whole');
  });

  it('places a summary on its calendar date [summaries#sleep]', async () => {
    await connect({ history: { days: 1, per_day: 1 } });
    const night = { bedtime_start: '2026-11-10T22:30:00+00:00', bedtime_stop: '2026-11-11T06:00:00+00:00' };
    await app.sandbox.control.put({
      user_id,
      provider: 'oura',
      resource: 'sleep',
      summaries: [{ ...night, calendar_date: '2026-11-11' }],
      notify: true,
    });
    await app.settle();
    expect(await told('sleep', '2026-11-10')).toBe('confirmed_empty whole');
    expect(await told('sleep', '2026-11-11')).toBe('received whole');
  });

  it('shows records of a resource that is only pushed, never as complete', async () => {
    await connect();
    const points = [{ timestamp: '2026-11-10T08:00:00Z', value: 60 }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
    expect(await told('heartrate', '2026-11-10')).toBe('received never_pulled');
    expect(await told('heartrate', '2026-11-11')).toBe('unknown never_pulled');
  });

  it('counts up to a limit a day and marks further records', async () => {
    await connect();
    const points = Array.from({ length: MAX_COUNTED_A_DAY + 5 }, (_, index) => {
      return { timestamp: new Date(Date.parse('2026-11-10T00:00:00Z') + index * 60_000).toISOString(), value: 60 };
    });
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
    const { runs } = await one('heartrate', '&first_day=2026-11-10&last_day=2026-11-11');
    expect(runs[0]).toMatchObject({ first_day: '2026-11-10', records: MAX_COUNTED_A_DAY, more: true });
  });

  it('lists sources and resources in pages, and filters them', async () => {
    await connect();
    await app.sandbox.control.connect({ user_id, provider: 'fitbit' });
    await app.advance(900, 5);
    const name = ({ provider, resource }: CoverageStreamDto): string => `${provider} ${resource}`;
    const all = (await streams()).map(name);
    expect(all).toEqual([
      'fitbit blood_pressure',
      'fitbit mindfulness_minutes',
      'fitbit sleep',
      'oura blood_pressure',
      'oura mindfulness_minutes',
      'oura sleep',
    ]);
    const walked: string[] = [];
    for (let query: string | null = '?limit=4'; query !== null; ) {
      const { body }: { body: Page<CoverageStreamDto> } = await coverage(query);
      walked.push(...body.data.map(name));
      query = body.next_cursor && `?limit=4&cursor=${body.next_cursor}`;
    }
    expect(walked).toEqual(all);
    expect((await streams('?provider=oura&resource=sleep')).map(name)).toEqual(['oura sleep']);
    expect((await streams()).map(({ runs }) => runs.reduce((sum, { days }) => sum + days, 0))).toEqual(
      Array(6).fill(30),
    );
  });

  it('ends with the current day of the person: by samples, by the zone of the account, else by UTC', async () => {
    await connect();
    const lastDay = async (): Promise<unknown> => (await one('sleep')).runs.at(-1)?.last_day;
    expect(await lastDay()).toBe('2026-11-20');
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'Pacific/Kiritimati' });
    expect(await lastDay()).toBe('2026-11-21');
    expect((await one('blood_pressure')).days_in).toEqual(['fallback_time_zone']);
    expect((await one('sleep')).days_in).toEqual(['calendar_date']);
    const points = [{ timestamp: '2026-11-20T11:00:00Z', value: 60, timezone_offset: -43_200 }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
    expect(await lastDay()).toBe('2026-11-20');
    expect((await one('heartrate')).days_in).toEqual(['fallback_time_zone', 'samples']);
  });

  it('is empty for an account without sources', async () => {
    expect((await coverage()).body).toEqual({ data: [], next_cursor: null });
  });

  it('refuses invalid queries, and needs a key', async () => {
    const codes = async (query: string): Promise<number> => (await coverage(query)).status;
    expect(await codes('?resource=profile')).toBe(400);
    expect(await codes('?resource=dreams')).toBe(400);
    expect(await codes('?first_day=2026-11-10&last_day=2026-11-09')).toBe(400);
    expect(await codes('?first_day=2025-11-20&last_day=2026-11-21')).toBe(400);
    expect(await codes('?first_day=2025-11-20&last_day=2026-11-20')).toBe(200);
    expect(await codes('?first_day=yesterday')).toBe(400);
    expect((await app.admin('GET', '/accounts/nobody/coverage')).status).toBe(404);
    expect((await app.admin('GET', `/accounts/${account}/coverage`, undefined, 'viewer')).status).toBe(200);
    expect((await app.call('GET', `/admin/v1/accounts/${account}/coverage`)).status).toBe(401);
  });

  it('reads records only through indexes', async () => {
    if (app.database.config.kind !== 'sqlite') return;
    const plans: Record<string, string[]> = {};
    for (const [name, sql] of Object.entries(recordDaysSql)) {
      const values = Array.from(sql.matchAll(/\?/g), () => 0);
      const rows = await app.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
      plans[name] = rows
        .map(({ detail }) => detail)
        .filter((step) => /^(SCAN|SEARCH) (p|s|series|summaries)\b/.test(step));
    }
    expect(plans['series']).toEqual([expect.stringContaining('SEARCH series USING COVERING INDEX series_natural_key')]);
    expect(plans['summaries']).toEqual([
      expect.stringContaining('INDEX summaries_time (account_id=? AND resource=? AND time>? AND time<?)'),
    ]);
    const samples = plans['samples'] ?? [];
    expect(samples.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    const seeks = samples.filter((step) => step.startsWith('SEARCH p'));
    expect(new Set(seeks)).toEqual(new Set(['SEARCH p USING PRIMARY KEY (series_id=? AND time>? AND time<?)']));
  });
});

function run(first_day: string, last_day: string, days: number, differences: object): object {
  const nothing = { records: 0, more: false, gone: 0, notes: [], asked_again_until: null, proven_equal_at: null };
  return { first_day, last_day, days, ...nothing, ...differences };
}
