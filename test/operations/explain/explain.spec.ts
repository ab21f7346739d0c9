import type { Json } from '../../../sandbox/control-client.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { catalogue, coveredResources } from '../../../src/health/catalogue/catalogue.js';
import { OffsetsReader, offsetsOf, summaryOffsetsSql } from '../../../src/health/clock/offsets.reader.js';
import { PersonClocks } from '../../../src/health/clock/person-clocks.service.js';
import { SampleHours } from '../../../src/health/clock/sample-hours.reader.js';
import { recordDaysSql } from '../../../src/health/reads/record-days.reader.js';
import { messageSql } from '../../../src/ingest/inbox/messages.repository.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import type { CoverageStreamDto } from '../../../src/operations/explain/coverage.dto.js';
import type { ExplanationDto, ExplanationsDto } from '../../../src/operations/explain/explain.dto.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { NotingReader } from '../../support/noting-reader.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';

/** Each test starts the application and a sandbox. */
const day = 86_400;
const otherSecret = `whsec_${Buffer.from('a-secret-of-somebody-else-1').toString('base64')}`;

/** The samples that the sandbox makes for this person have the offset 0. */
const personInUtc = 'user-8';

/** The clocks begin at 2026-11-20T12:00:00Z. */
describe('the explanation of a day', () => {
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
  const ask = (query: string) => app.admin<ExplanationDto>('GET', `/accounts/${account}/explain?${query}`);
  const explain = async (resource: string, date: string, more = ''): Promise<ExplanationDto> => {
    const { status, body } = await ask(`resource=${resource}&day=${date}${more}`);
    expect(status).toBe(200);
    return body;
  };
  const decisive = ({ evidence }: ExplanationDto): string[] =>
    evidence.filter((one) => one.decisive).map(({ kind, finding }) => `${kind}: ${finding}`);

  it('shows the complete chain in order, and its deciding parts', async () => {
    await connect({ history: { days: 5, per_day: 2 } });
    const told = await explain('mindfulness_minutes', '2026-11-10');
    expect(told).toMatchObject({
      account_id: account,
      resource: 'mindfulness_minutes',
      day: '2026-11-10',
      state: 'confirmed_empty',
      reason: 'confirmed_empty',
      conclusion: expect.stringMatching(
        /^There is no mindfulness minutes record for 2026-11-10: a complete pull of oura/,
      ),
    });
    expect(told.evidence.map(({ kind }) => kind)).toEqual([
      'account',
      'resource',
      'connection',
      'availability',
      'upstream_pull',
      'coverage',
      'schedule',
      'message',
      'records',
      'delivery',
    ]);
    expect(decisive(told)).toEqual([
      expect.stringMatching(/^connection: Connected at 2026-11-20 12:00 UTC; last confirmed by upstream at /),
      expect.stringMatching(
        /^coverage: Pulled completely from 2026-08-22 .*, with the source connected and heard from since\.$/,
      ),
    ]);
    const refs = told.evidence.map(({ ref }) => ref && `${ref.type} ${ref.id}`);
    expect(refs).toContain(`account ${account}`);
    expect(refs).toContain('historical_pull oura/mindfulness_minutes');
    const all = await app.admin<ExplanationsDto>('GET', `/accounts/${account}/explanations?day=2026-11-10`);
    expect(all.body.data.map(({ resource }) => resource)).toEqual(coveredResources);
    expect(all.body.data).toContainEqual(told);
  });

  it('of all resources are those of each, and ask nothing about resources of which nothing is stored', async () => {
    await connect({ history: { days: 12, per_day: 2 } });
    const { reader } = app.store;
    const asked: string[] = [];
    const rows = reader.rows.bind(reader);
    jest.spyOn(reader, 'rows').mockImplementation((sql: string, parameters = []) => {
      asked.push(sql);
      return rows(sql, parameters);
    });
    const all = await app.admin<ExplanationsDto>('GET', `/accounts/${account}/explanations?day=2026-11-12`);
    jest.restoreAllMocks();
    for (const told of all.body.data) expect(told).toEqual(await explain(told.resource, '2026-11-12'));
    const received = all.body.data.filter(({ state }) => state === 'received').length;
    expect(received).toBeGreaterThan(2);
    const ofGone = asked.filter((sql) => /FROM missing_records WHERE account_id = \? AND resource = \?/.test(sql));
    expect(ofGone.length).toBeGreaterThanOrEqual(received);
    expect(ofGone.length).toBeLessThan(coveredResources.length);
  });

  it('of all resources reads once what they share, and no offsets of resources without samples', async () => {
    await connect({ history: { days: 5, per_day: 2 } });
    const noting = new NotingReader(app.store.reader);
    const clocks = new PersonClocks(
      new OffsetsReader(noting, new SampleHours(noting)),
      app.get(AccountsService),
      app.clock,
    );
    const { id, fallback_time_zone } = await app.get(AccountsService).get(account);
    const days = { from: '2026-11-10', to: '2026-11-10' };
    const daysOf = await clocks.ofResources({ id, fallback_time_zone }, days);
    for (const resource of catalogue) {
      const { spans, series } = await daysOf(resource);
      const alone = await clocks.ofResource({ id, fallback_time_zone }, resource, days);
      expect([resource.name, spans, series]).toEqual([resource.name, alone.spans, alone.series]);
    }
    noting.asked.length = 0;
    const shared = await clocks.ofResources({ id, fallback_time_zone }, days);
    const sampled = new Set<string>();
    for (const resource of catalogue) if ((await shared(resource)).series.length > 0) sampled.add(resource.name);
    const offsets = noting.asked.filter(({ sql }) => sql === offsetsOf.account).length;
    expect(sampled.size).toBeGreaterThan(1);
    const told = noting.asked.filter(({ sql }) => sql === summaryOffsetsSql(app.store.reader.dialect)).length;
    expect([noting.asked.length, offsets, told]).toEqual([3 + sampled.size, 1, 1]);
  });

  it('of a day with records counts them and shows whether more may arrive', async () => {
    await connect({ history: { days: 5, per_day: 2 } });
    const whole = await explain('mindfulness_minutes', '2026-11-16');
    expect(whole).toMatchObject({ state: 'received', reason: 'received_whole' });
    expect(whole.conclusion).toContain('2 mindfulness minutes records of oura are stored for 2026-11-16');
    expect(whole.evidence.find(({ kind }) => kind === 'records')).toMatchObject({ decisive: true, provider: 'oura' });
    const fresh = await explain('mindfulness_minutes', '2026-11-19');
    expect(fresh).toMatchObject({ state: 'received', reason: 'received_in_part' });
    expect(fresh.conclusion).toContain('devices may still send data');
  });

  it('of a summary uses its calendar date', async () => {
    await connect({ history: { days: 1, per_day: 1 } });
    const night = { bedtime_start: '2026-11-10T22:30:00+00:00', bedtime_stop: '2026-11-11T06:00:00+00:00' };
    const summaries = [{ ...night, calendar_date: '2026-11-11' }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'sleep', summaries, notify: true });
    await app.settle();
    expect((await explain('sleep', '2026-11-10')).reason).toBe('confirmed_empty');
    expect((await explain('sleep', '2026-11-11')).reason).toBe('received_whole');
  });

  it('names failed deliveries about the day, until a replay or a pull replaces them', async () => {
    await connect({ pulls: { '*': { retries: 500 } } });
    const { message_id } = await app.sandbox.control.send({
      event_type: 'daily.data.sleep.created',
      user_id,
      data: { id: null },
    });
    await app.settle();
    const told = await explain('sleep', '2026-11-19');
    expect(told).toMatchObject({ state: 'pending', reason: 'message_dead' });
    expect(told.conclusion).toContain('1 delivery for it around that day failed permanently');
    expect(told.evidence).toContainEqual(
      expect.objectContaining({ kind: 'message', decisive: true, ref: { type: 'message', id: message_id } }),
    );
    expect((await explain('blood_pressure', '2026-11-19')).reason).toBe('upstream_pull_open');
  });

  it('names waiting deliveries, if nothing else is certain', async () => {
    await connect();
    const run = (sql: string) => app.store.lane.run((tx) => tx.execute(sql));
    expect((await explain('sleep', '2026-11-17')).reason).toBe('not_heard_since');
    await run(`UPDATE messages SET status = 'retry' WHERE event_type = 'historical.data.sleep.created'`);
    const told = await explain('sleep', '2026-11-17');
    expect(told).toMatchObject({ state: 'unknown', reason: 'message_waiting' });
    expect(decisive(told)).toEqual([
      expect.stringMatching(/^message: 1 delivery of historical.data.sleep.created, .*: retry\.$/),
    ]);
  });

  it('names the waiting task that covers the day, and the reason', async () => {
    await connect({ history: { days: 5, per_day: 1 } });
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/summary', status: 503 });
    const { body } = await app.admin<{ task_ids: number[] }>('POST', `/accounts/${account}/sync`, {
      resources: ['sleep'],
      start: '2026-11-09',
      end: '2026-11-11',
    });
    await app.settle();
    const told = await explain('sleep', '2026-11-10');
    expect(told).toMatchObject({ state: 'pending', reason: 'pull_open' });
    expect(told.conclusion).toContain(
      `(task ${String(body.task_ids[0])}) is waiting after the error upstream_unavailable`,
    );
    expect((await explain('sleep', '2026-11-11')).reason).toBe('confirmed_empty');
  });

  it('names the failed task', async () => {
    await connect();
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/summary', status: 422 });
    await app.admin('POST', `/accounts/${account}/sync`, {
      resources: ['sleep'],
      start: '2026-05-01',
      end: '2026-05-03',
    });
    await app.settle();
    const told = await explain('sleep', '2026-05-02');
    expect(told).toMatchObject({ state: 'unknown', reason: 'pull_failed' });
    expect(decisive(told)).toEqual([expect.stringMatching(/^task: Task \d+ \(operator\) .*: failed after 1 attempt/)]);
  });

  it('reports that a resource is not synced, even if records of it are pushed', async () => {
    await connect();
    expect(await explain('heartrate', '2026-11-10')).toMatchObject({ state: 'unknown', reason: 'not_synced' });
    const points = [{ timestamp: '2026-11-10T08:00:00Z', value: 61.5 }];
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
    const pushed = await explain('heartrate', '2026-11-10');
    expect(pushed).toMatchObject({ state: 'received', reason: 'received_in_part' });
    expect(pushed.conclusion).toContain('it only arrives by webhook');
    expect(JSON.stringify(pushed)).not.toContain('61.5');
  });

  it('names the bounds of the account', async () => {
    await connect();
    await app.admin('PATCH', `/accounts/${account}`, { ingestion_start: '2026-11-05', ingestion_end: '2026-11-30' });
    const told = await explain('sleep', '2026-11-04');
    expect(told.conclusion).toContain('accepts data only from 2026-11-05 until 2026-11-30');
    expect(decisive(told)).toEqual(['ingestion_bounds: The account accepts data from 2026-11-05 until 2026-11-30.']);
  });

  it('reports that nothing confirms the result of our pulls, or that deliveries cannot arrive', async () => {
    await connect();
    await app.admin('POST', `/accounts/${account}/sync`, { start: '2026-05-01' });
    await app.settle();
    expect((await explain('sleep', '2026-06-01')).reason).toBe('not_heard_since');
    await app.advance(2 * day, 8);
    const told = await explain('sleep', '2026-06-01');
    expect(told.reason).toBe('silence');
    expect(decisive(told)).toEqual([expect.stringMatching(/^delivery: .*The silence alarm is raised\.$/)]);
  });

  it('names no cause while deliveries are refused or wait, because a connection may be among them', async () => {
    expect((await explain('sleep', '2026-11-10')).reason).toBe('never_connected');
    for (const id of ['a', 'b', 'c']) {
      const { headers, body } = signedMessage(id, {}, otherSecret, app.clock.now());
      await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body });
    }
    await app.run(AlarmsWorker);
    const refused = await explain('sleep', '2026-11-10');
    expect(refused).toMatchObject({
      reason: 'not_heard',
      conclusion: expect.stringContaining('webhooks are refused'),
    });
    expect(refused.evidence.map(({ finding }) => finding)).not.toContain('No source was ever connected.');
    const { headers, body } = signedMessage('d', { event_type: 'unheard.of' }, undefined, app.clock.now());
    await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body });
    await app.run(AlarmsWorker);
    const waiting = await explain('sleep', '2026-11-10');
    expect(waiting.conclusion).toContain('while 1 message is not processed yet.');
    await app.settle();
    expect((await explain('sleep', '2026-11-10')).reason).toBe('never_connected');
  });

  it('is about the named source, or else about the most informative one', async () => {
    await connect({ pulls: { sleep: { outcome: 'failure' } } });
    await app.sandbox.control.connect({ user_id, provider: 'fitbit', history: { days: 5, per_day: 1 } });
    await app.advance(900, 5);
    expect(await explain('sleep', '2026-11-10')).toMatchObject({ reason: 'upstream_pull_failed' });
    const fitbit = await explain('sleep', '2026-11-10', '&provider=fitbit');
    expect(fitbit).toMatchObject({ state: 'confirmed_empty' });
    expect(new Set(fitbit.evidence.map(({ provider }) => provider))).toEqual(new Set([null, 'fitbit']));
    expect((await explain('sleep', '2026-11-10', '&provider=garmin')).reason).toBe('never_connected');
  });

  it('knows today and tomorrow, and that it may already be tomorrow for the person', async () => {
    await connect();
    expect((await explain('sleep', '2026-11-20')).conclusion).toContain('2026-11-20 is not over yet');
    expect((await explain('sleep', '2026-11-21')).conclusion).toContain('2026-11-21 is not over yet');
    expect(await explain('sleep', '2026-11-22')).toMatchObject({
      state: 'unknown',
      conclusion: '2026-11-22 has not happened yet.',
    });
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'Europe/Berlin' });
    expect((await explain('sleep', '2026-11-21')).reason).toBe('not_begun');
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'Pacific/Kiritimati' });
    expect((await explain('sleep', '2026-11-21')).reason).toBe('not_over');
  });

  const put = async (resource: string, points: Json[]): Promise<void> => {
    await app.sandbox.control.put({ user_id, provider: 'oura', resource, points, notify: true });
    await app.settle();
  };

  it.each([
    [
      -28_800,
      '-08:00',
      ['2026-11-11T01:00:00Z', '2026-11-11T07:59:59Z'],
      ['2026-11-10T07:59:59Z', '2026-11-11T08:00:00Z'],
    ],
    [
      50_400,
      '+14:00',
      ['2026-11-09T10:00:00Z', '2026-11-10T09:59:59Z'],
      ['2026-11-09T09:59:59Z', '2026-11-10T10:00:00Z'],
    ],
    [
      19_800,
      '+05:30',
      ['2026-11-09T18:30:00Z', '2026-11-10T18:29:59Z'],
      ['2026-11-09T18:29:59Z', '2026-11-10T18:30:00Z'],
    ],
  ])('uses the day at the offset of stored samples: %s s from UTC', async (offset, zone, within, beside) => {
    await connect();
    await put(
      'heartrate',
      [...within, ...beside].map((timestamp) => ({ timestamp, value: 60, timezone_offset: offset })),
    );
    const told = await explain('heartrate', '2026-11-10');
    expect(told).toMatchObject({ day_in: 'samples', day_zone: zone, state: 'received' });
    expect(told.conclusion).toMatch(/^2 heartrate records of oura are stored for 2026-11-10, .*\.$/);
    expect(told.conclusion).not.toContain('UTC day');
    for (const day of ['2026-11-09', '2026-11-11']) {
      expect((await explain('heartrate', day)).conclusion).toContain(`1 heartrate record of oura is stored for ${day}`);
    }
    const { body } = await app.admin<Page<CoverageStreamDto>>(
      'GET',
      `/accounts/${account}/coverage?resource=heartrate&first_day=2026-11-10&last_day=2026-11-10`,
    );
    expect(body.data[0]).toMatchObject({ days_in: ['samples'], runs: [{ state: 'received', records: 2 }] });
  });

  it('uses the day in the zone of the account if no sample has an offset, else the UTC day, and says so', async () => {
    await connect();
    await put('heartrate', [{ timestamp: '2026-11-11T04:30:00Z', value: 60 }]);
    const utc = await explain('heartrate', '2026-11-10');
    expect(utc).toMatchObject({ day_in: 'utc', day_zone: null, state: 'unknown' });
    expect(utc.conclusion).toMatch(
      /Here 2026-11-10 is the UTC day, because the time zone of the person is not known\.$/,
    );
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'America/New_York' });
    const local = await explain('heartrate', '2026-11-10');
    expect(local).toMatchObject({ day_in: 'fallback_time_zone', day_zone: 'America/New_York', state: 'received' });
    expect(local.conclusion).not.toContain('UTC day');
    expect((await explain('heartrate', '2026-11-11')).state).toBe('unknown');
  });

  it('reads the time of a source with floating time as local time [timeseries#floating-time]', async () => {
    await app.admin('PATCH', `/accounts/${account}`, { fallback_time_zone: 'America/New_York' });
    await app.sandbox.control.connect({ user_id, provider: 'freestyle_libre' });
    await app.advance(900, 5);
    const points = [{ timestamp: '2026-11-10T00:30:00Z', value: 5 }];
    await app.sandbox.control.put({ user_id, provider: 'freestyle_libre', resource: 'glucose', points, notify: true });
    await app.settle();
    expect((await explain('glucose', '2026-11-10')).state).toBe('received');
    expect((await explain('glucose', '2026-11-09')).state).toBe('unknown');
  });

  it('refuses unknown resources with a list of known ones, and needs a key', async () => {
    const unknown = await app.admin<{ errors: { field: string; message: string }[] }>(
      'GET',
      `/accounts/${account}/explain?resource=dreams&day=2026-11-10`,
    );
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors).toEqual([{ field: 'resource', message: expect.stringContaining('blood_pressure') }]);
    for (const query of [
      'resource=sleep',
      'day=2026-11-10',
      'resource=sleep&day=2026-02-30',
      'resource=profile&day=2026-11-10',
    ]) {
      expect((await ask(query)).status).toBe(400);
    }
    const path = '/explain?resource=sleep&day=2026-11-10';
    expect((await app.admin('GET', `/accounts/nobody${path}`)).status).toBe(404);
    expect((await app.admin('GET', `/accounts/${account}${path}`, undefined, 'viewer')).status).toBe(200);
    expect((await app.call('GET', `/admin/v1/accounts/${account}${path}`)).status).toBe(401);
  });

  it('scans no table, and reads only messages of the account', async () => {
    if (app.database.config.kind !== 'sqlite') return;
    const steps: Record<string, string[]> = {};
    for (const [name, sql] of Object.entries({
      ...messageSql,
      samples: recordDaysSql.samplesOfDay,
      offsets: recordDaysSql.offsets,
      told: summaryOffsetsSql('sqlite'),
      summaries: recordDaysSql.summariesOfDay,
    })) {
      const values = Array.from(sql.matchAll(/\?/g), () => 0);
      const plan = await app.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
      steps[name] = plan.map(({ detail }) => detail);
    }
    expect(
      Object.values(steps)
        .flat()
        .filter((step) => /^SCAN (?!(g|h|hop|w|CONSTANT ROW)$)/.test(step)),
    ).toEqual([]);
    expect(steps['groups']?.join()).toMatch(
      /messages_account_(seq|received_at) \(account_id=\? AND \w+>\? AND \w+<\?\)/,
    );
    expect(steps['samples']?.join()).toContain('PRIMARY KEY (series_id=? AND time>? AND time<?)');
    expect(steps['summaries']?.join()).toContain('summaries_time (account_id=? AND resource=? AND time>? AND time<?)');
  });
});
