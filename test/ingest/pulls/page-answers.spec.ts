import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { type Account, type SyncService, SyncWorld, start } from './support/sync-world.js';

/** The two kinds of pages, each by one resource. */
const endpoints = [
  ['blood_pressure', 'GET /v2/timeseries/{user_id}/blood_pressure/grouped', 'groups', {}],
  ['sleep', 'GET /v2/summary/sleep/{user_id}', 'sleep', []],
] as const;

let world: SyncWorld;
let service: SyncService;
let account: Account;

beforeEach(async () => {
  world = await SyncWorld.create();
  service = world.service;
  account = await world.account(service);
});
afterEach(() => world.close());

/** How many records are stored, which must be those upstream has. */
async function stored(resource: string): Promise<number> {
  const both = await (resource === 'sleep' ? world.summaries(account, resource) : world.samples(account, resource));
  expect(both.stored).toEqual(both.upstream);
  return both.stored.length;
}

/** Upstream that says the same to everything. */
async function answering(text: string, use: (service: SyncService) => Promise<void>): Promise<void> {
  const upstream = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(text);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  try {
    await use(await world.another({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` }));
  } finally {
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  }
}

describe.each(endpoints)('%s', (resource, operation, key, none) => {
  const path = operation.startsWith('GET /v2/summary') ? '/v2/summary' : '/v2/timeseries';
  const request = (given: object = {}): Promise<number> => world.request(service, account.ref, { resource, ...given });
  const fault = (rule: Partial<FaultRule>) => world.sandbox.control.fault({ kind: 'status', path, ...rule });

  it('is stored completely if upstream has it [summaries#the-call]', async () => {
    await world.data(account.userId, resource, { days: 40, per_day: 2 });
    const id = await request();
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 80, rejected: 0, error_code: null });
    expect(await stored(resource)).toBe(80);
  });

  it('is done and empty if upstream has none', async () => {
    const id = await request();
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 0, error_code: null });
  });

  it('is done and empty for a provider unknown to upstream [summaries#the-call] [timeseries#the-call]', async () => {
    await world.data(account.userId, resource, { days: 3, per_day: 2 });
    const id = await request({ provider: 'abacus' });
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 0, provider: 'abacus' });
  });

  it.each([
    ['422 to the window', 422, 'upstream_rejected'],
    ['403', 403, 'upstream_rejected'],
    ['404 for the user', 404, 'unknown_user'],
  ])('is given up immediately if upstream responds with %s [timeseries#the-call]', async (_, status, code) => {
    await fault({ status });
    const id = await request();
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: code, due_at: null, pages: 0 });
    expect((await world.sandbox.control.calls({ path })).calls).toHaveLength(1);
    expect(await world.coverage()).toEqual([]);
  });

  it('is complete in the end if a page in the middle failed', async () => {
    await world.data(account.userId, resource, { days: 80, per_day: 2 });
    await fault({ status: 500, skip: 1, times: 1 });
    const id = await request();
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'pending', pages: 1, error_code: 'upstream_unavailable' });
    await world.advance(61);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 160, restarts: 0 });
    expect(await stored(resource)).toBe(160);
  });

  it('is requested again if the response was cut off or empty', async () => {
    await world.data(account.userId, resource, { days: 3, per_day: 2 });
    await fault({ kind: 'truncate', times: 1 });
    await fault({ kind: 'empty', times: 1 });
    const id = await request();
    for (const code of ['upstream_unavailable', 'upstream_contract']) {
      await service.backfill.runUntilIdle();
      expect(await world.task(id)).toMatchObject({ status: 'pending', records: 0, error_code: code });
      await world.advance(61);
    }
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'done', records: 6 });
  });

  it.each([
    ['an object without it', '{}'],
    ['null in its place', JSON.stringify({ [key]: null })],
    ['a text in its place', JSON.stringify({ [key]: 'none' })],
    ['a list', '[]'],
    ['a number', '42'],
  ])('fails if upstream sends %s, and nothing counts as pulled [summaries#the-call]', async (_, text) => {
    await answering(text, async (odd) => {
      const id = await request();
      for (let round = 0; round < 6; round++) {
        await odd.backfill.runUntilIdle();
        await world.advance(900);
      }
      expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'upstream_contract' });
      expect(await world.coverage()).toEqual([]);
    });
  });

  it('may have unknown fields', async () => {
    await answering(JSON.stringify({ [key]: none, next_cursor: null, weather: 'fine' }), async (odd) => {
      const id = await request({ start: start - 86_400_000 });
      await odd.backfill.runUntilIdle();
      expect(await world.task(id)).toMatchObject({ status: 'done', records: 0 });
    });
  });
});
