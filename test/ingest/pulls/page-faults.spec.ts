import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { failuresOf } from '../../../src/storage/work/lease.js';
import { stopTimers } from '../../support/stop-timers.js';
import { until } from '../../support/until.js';
import { type Account, day, type SyncService, SyncWorld } from './support/sync-world.js';

const pages = '/v2/timeseries';
let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  account = await world.account(service);
  await world.data(account.userId, 'mindfulness_minutes', { days: 20, per_day: 10 });
});
afterEach(() => world.close());

async function expectWhole(id: number, task: object): Promise<void> {
  expect(await world.task(id)).toMatchObject({ status: 'done', pages: 4, records: 200, error_code: null, ...task });
  const { stored, upstream } = await world.samples(account, 'mindfulness_minutes');
  expect(stored).toEqual(upstream);
  expect(stored).toHaveLength(200);
}

async function successes(): Promise<number> {
  const { calls } = await world.sandbox.control.calls({ path: pages });
  return calls.filter(({ status }) => status === 200).length;
}

describe('a page that fails', () => {
  it.each<[string, Partial<FaultRule>, string, number]>([
    ['a 500', { kind: 'status', status: 500 }, 'upstream_unavailable', 4],
    ['a 500 in plain text', { kind: 'plain_text_500' }, 'upstream_unavailable', 4],
    // A kept connection is replaced once; the new one is cut too.
    ['a connection cut before the answer', { kind: 'drop_before', times: 2 }, 'upstream_unavailable', 4],
    ['an answer cut in the middle', { kind: 'truncate', times: 2 }, 'upstream_unavailable', 4],
    ['an answer that is no JSON', { kind: 'bad_json' }, 'upstream_contract', 5],
    ['an empty answer', { kind: 'empty' }, 'upstream_contract', 5],
    ['a refused key', { kind: 'status', status: 401 }, 'upstream_unauthorized', 4],
    ['a wish to slow down', { kind: 'status', status: 429, retry_after: 7 }, 'upstream_throttled', 4],
  ])('for %s is requested again, and no other is [timeseries#the-call]', async (_, fault, code, answered) => {
    await world.sandbox.control.fault({ kind: 'status', times: 1, ...fault, path: pages, skip: 2 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    const put = await world.task(id);
    expect(put).toMatchObject({ status: 'pending', pages: 2, error_code: code, lease_owner: null });
    expect(failuresOf(put)).toBe(1);
    await world.advance(61);
    await service.backfill.runUntilIdle();
    await expectWhole(id, { attempts: 0, restarts: 0 });
    expect(await successes()).toBe(answered);
  });

  it('because the catalogue lacks its resource ends after a few attempts, and all other pulls continue', async () => {
    const unknown = await world.request(service, account.ref, { resource: 'steps' });
    await service.write((tx) => {
      return tx.execute(`UPDATE sync_tasks SET resource = 'moon_phase' WHERE id = ?`, [unknown]);
    });
    const other = await world.request(service, account.ref);
    for (let attempt = 0; attempt < 6; attempt++) {
      await service.backfill.runUntilIdle();
      await world.advance(900);
    }
    await expectWhole(other, {});
    expect(await world.task(unknown)).toMatchObject({ status: 'failed', error_code: 'internal' });
  });

  it('for a silence longer than the time limit is requested again', async () => {
    await world.sandbox.control.fault({ kind: 'timeout', path: pages, skip: 1, times: 1 });
    const id = await world.request(service, account.ref);
    stopTimers();
    const pulled = service.backfill.runUntilIdle();
    await until(async () => (await world.faultsStruck()) === 1);
    jest.advanceTimersByTime(60_000);
    await pulled;
    jest.useRealTimers();
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 1, error_code: 'upstream_unavailable' });
    await world.advance(61);
    await service.backfill.runUntilIdle();
    await expectWhole(id, {});
  });

  it('makes its account wait as long as upstream asks [errors-and-limits#rate-limits]', async () => {
    const other = await world.account(service, 'another');
    await world.sandbox.control.fault({ kind: 'status', status: 429, retry_after: 40, path: pages, times: 1 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    const otherId = await world.request(service, other.ref);
    const sameAccount = await world.request(service, account.ref, { provider: 'oura' });
    await world.advance(39);
    await service.backfill.runUntilIdle();
    expect(await world.pageCalls()).toBe(2);
    expect(await world.task(otherId)).toMatchObject({ status: 'done' });
    expect(await world.task(sameAccount)).toMatchObject({ status: 'pending', error_code: 'upstream_throttled' });
    await world.advance(1);
    await service.backfill.runUntilIdle();
    await expectWhole(id, {});
    expect(await world.task(sameAccount)).toMatchObject({ status: 'done' });
  });

  it('makes every account wait once upstream throttles two, while other calls continue', async () => {
    const others = await Promise.all(['second', 'third'].map((name) => world.account(service, name)));
    await world.sandbox.control.fault({ kind: 'status', status: 429, retry_after: 40, path: pages });
    for (const { ref } of [account, ...others]) {
      await world.request(service, ref);
      await service.backfill.runUntilIdle();
    }
    expect(await world.pageCalls()).toBe(2);
    const summary = await world.request(service, account.ref, { resource: 'sleep' });
    await service.backfill.runUntilIdle();
    expect(await world.task(summary)).toMatchObject({ status: 'done' });
    await world.sandbox.control.clearFaults();
    await world.advance(40);
    await service.backfill.runUntilIdle();
    expect((await world.tasks()).map(({ status }) => status)).toEqual(Array(4).fill('done'));
  });

  it('delays its task only while upstream is down', async () => {
    await world.sandbox.control.fault({ kind: 'status', status: 503, path: pages });
    const id = await world.request(service, account.ref);
    for (let round = 0; round < 12; round++) {
      await service.backfill.runUntilIdle();
      await world.advance(900);
    }
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 0, error_code: 'upstream_unavailable' });
    await world.sandbox.control.clearFaults();
    await service.backfill.runUntilIdle();
    await expectWhole(id, {});
  });

  it('fails its task visibly if it is never readable', async () => {
    await world.sandbox.control.fault({ kind: 'bad_json', path: pages });
    const id = await world.request(service, account.ref);
    for (let round = 0; round < 6; round++) {
      await service.backfill.runUntilIdle();
      await world.advance(900);
    }
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'upstream_contract', due_at: null });
    expect(await world.pageCalls()).toBe(5);
    expect(await world.coverage()).toEqual([]);
  });
});

describe('a useless cursor', () => {
  it('restarts the window if it was refused [timeseries#paging]', async () => {
    await world.sandbox.control.fault({ kind: 'status', status: 422, path: pages, skip: 2, times: 1 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    await expectWhole(id, { restarts: 1 });
    expect(await successes()).toBe(6);
  });

  it('restarts the window if it came round once', async () => {
    await world.sandbox.control.fault({ kind: 'repeat_cursor', path: pages, times: 1 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    await expectWhole(id, { restarts: 1 });
  });

  it('fails the task after a few calls if it keeps coming round', async () => {
    await world.sandbox.control.fault({ kind: 'repeat_cursor', path: pages });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'cursor_repeated', restarts: 2 });
    expect(await world.pageCalls()).toBe(6);
    expect(await world.coverage()).toEqual([]);
    expect(service.logged.some((line) => line.includes('sync.task_failed') && line.includes('cursor_repeated'))).toBe(
      true,
    );
  });
});

describe('an account without an upstream user', () => {
  it('fails its tasks if upstream does not know the user', async () => {
    await world.sandbox.control.eraseUser(account.userId);
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'unknown_user' });
  });

  it('is not pulled while it is being erased', async () => {
    const id = await world.request(service, account.ref);
    await world.store.lane.run((tx) => tx.execute(`UPDATE accounts SET status = 'erasing'`));
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'account_gone' });
    expect(await world.pageCalls()).toBe(0);
  });
});

describe('records that cannot be stored', () => {
  it('are counted and do not affect the others, whether points or groups [timeseries#groups]', async () => {
    const good = { start: '2026-11-19T10:00:00+00:00', end: '2026-11-19T10:05:00+00:00', unit: 'min', value: 5 };
    const data = [good, { ...good, value: null }, { unit: 'min', value: 3 }, 'no point at all'];
    const bad = { source: { provider: 'oura', type: 'ring' }, data: 'no list' };
    const groups = { oura: [bad, { source: { provider: 'oura', type: 'ring' }, data }] };
    const body = { groups, next_cursor: null };
    const upstream = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    const odd = await world.another({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` });
    const id = await world.request(odd, account.ref);
    await odd.backfill.runUntilIdle();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 5, written: 1, rejected: 4 });
    expect(odd.logged.some((line) => line.includes('sync.records_rejected'))).toBe(true);
    const kept = 'SELECT kind, ref, reason, count FROM rejected_records ORDER BY reason';
    expect(await world.store.reader.rows(kept)).toEqual(
      ['no_object', 'no_time', 'no_value', 'unreadable_group'].map((reason) => {
        return { kind: 'sync', ref: id, reason, count: 1 };
      }),
    );
    const operation = 'GET /v2/timeseries/{user_id}/{resource}/grouped';
    expect(await odd.app.metric('upstream_unreadable_items_total', { operation })).toBe(1);
    world.clock.advance(1);
    const again = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    expect(await world.task(again)).toMatchObject({ status: 'done' });
    expect(await world.store.reader.rows(kept)).toEqual([]);
  });

  it('such as a group without points do not affect the rest of their page', async () => {
    await world.sandbox.control.fault({ kind: 'bad_group', path: pages, skip: 1, times: 1 });
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    await expectWhole(id, { records: 201, rejected: 1 });
  });

  it('are kept if the clock was set back after their pull had begun', async () => {
    const data = [{ start: new Date(world.clock.now()).toISOString(), unit: 'min', value: null }];
    const groups = { oura: [{ source: { provider: 'oura', type: 'ring' }, data }] };
    let status = 503;
    const upstream = createServer((_, response) => {
      const body = JSON.stringify({ groups, next_cursor: null });
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    const odd = await world.another({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` });
    const id = await world.request(odd, account.ref, { end: world.clock.now() + 1 });
    world.clock.step(day);
    await odd.backfill.runUntilIdle();
    status = 200;
    world.clock.step(-day);
    await odd.write((tx) => tx.execute('UPDATE sync_tasks SET due_at = ?', [world.clock.now()]));
    world.clock.advance(60_000);
    await odd.backfill.runUntilIdle();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
    expect(await world.task(id)).toMatchObject({ status: 'done', rejected: 1 });
    expect(await world.store.reader.rows('SELECT reason FROM rejected_records')).toEqual([{ reason: 'no_value' }]);
  });
});
