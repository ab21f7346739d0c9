import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SyncService, SyncWorld } from '../pulls/support/sync-world.js';

let world: SyncWorld;
let service: SyncService;
let upstream: Server;
let providers: unknown[];

const connected = (slug: string): object => ({ slug, status: 'connected', created_on: '2026-11-01T00:00:00Z' });

beforeEach(async () => {
  world = await SyncWorld.create();
  await world.account(world.service);
  upstream = createServer(({ url = '' }, response) => {
    const body = url.startsWith('/v2/introspect') ? { data: [], next_cursor: null } : { providers };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  service = await world.another({ UPSTREAM_BASE_URL: `http://127.0.0.1:${port}` });
  await look([connected('oura'), connected('fitbit'), connected('garmin')]);
});

afterEach(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await world.close();
});

async function look(listed: unknown[]): Promise<void> {
  providers = listed;
  await world.advance(1);
  await service.write((tx) => tx.execute('UPDATE source_polls SET due_at = ?', [world.clock.now()]));
  await service.sourceCheck.runUntilIdle();
}

async function states(): Promise<string[]> {
  const sql = 'SELECT provider, status FROM connections ORDER BY provider';
  const rows = await world.store.reader.rows<{ provider: string; status: string }>(sql);
  return rows.map(({ provider, status }) => `${provider} ${status}`);
}

async function pulled(): Promise<string[]> {
  const active = (await world.streams()).filter(({ status }) => status === 'active');
  return [...new Set(active.map(({ provider }) => provider))].sort();
}

const counted = (): Promise<number> =>
  service.app.metric('upstream_unreadable_items_total', { operation: 'GET /v2/user/providers/{user_id}' });

describe('a connection that cannot be read', () => {
  it('keeps its last known state while the others are taken over, and is counted [connections#list-of-connections]', async () => {
    await look([connected('oura'), { slug: 'garmin', status: 7 }, { ...connected('withings'), status: 'error' }]);
    expect(await states()).toEqual(['fitbit disconnected', 'garmin connected', 'oura connected', 'withings error']);
    expect(await pulled()).toEqual(['garmin', 'oura']);
    expect(await counted()).toBe(1);
    expect(service.logged.join('\n')).toContain('"at":"providers[].status"');
  });

  it.each([['?'], [{ status: 'connected' }], [{ slug: 9, status: 'connected' }], [null]])(
    'and names no provider (%j) leaves open which one it is, so none is treated as disconnected',
    async (nameless) => {
      await look([nameless, { ...connected('oura'), status: 'error' }]);
      expect(await states()).toEqual(['fitbit connected', 'garmin connected', 'oura error']);
      expect(await pulled()).toEqual(['fitbit', 'garmin']);
      expect(await counted()).toBe(1);
      await look([connected('oura')]);
      expect(await states()).toEqual(['fitbit disconnected', 'garmin disconnected', 'oura connected']);
    },
  );

  it('adds no connection of an unknown provider', async () => {
    await look([connected('oura'), connected('fitbit'), connected('garmin'), { slug: 'withings' }]);
    expect(await states()).toEqual(['fitbit connected', 'garmin connected', 'oura connected']);
  });
});
