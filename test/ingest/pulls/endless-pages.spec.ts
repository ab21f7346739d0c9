import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, type SyncService, SyncWorld } from './support/sync-world.js';

const LONG_AGO = 1;

let world: SyncWorld;
let service: SyncService;
let upstream: Server;
/** Paths asked for so far, with their queries. */
let asked: URL[];
/** What upstream answers. */
let answer: (url: URL, call: number) => object;

beforeEach(async () => {
  asked = [];
  answer = () => ({});
  upstream = createServer(({ url = '' }, response) => {
    const called = new URL(url, 'http://upstream');
    asked.push(called);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(called, asked.length)));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  world = await SyncWorld.create();
  service = await world.another({
    UPSTREAM_BASE_URL: `http://127.0.0.1:${port}`,
    UPSTREAM_MAX_CONCURRENCY: '2',
    SYNC_RESOURCES: 'mindfulness_minutes,heartrate',
  });
});

afterEach(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await world.close();
});

function point(minute: number): object {
  const start = new Date(Date.UTC(2026, 10, 1) + minute * 60_000).toISOString();
  return { start, end: start, unit: 'min', value: 5 };
}

/** A page of a timeseries with points of these minutes. */
function page(minutes: readonly number[], next: string | null): object {
  const data = minutes.map(point);
  const groups = data.length === 0 ? {} : { oura: [{ source: { provider: 'oura', type: 'ring' }, data }] };
  return { groups, next_cursor: next };
}

/** The number of the page that is asked for, from our cursors `page-N`. */
function numberOf(url: URL): number {
  return Number(url.searchParams.get('next_cursor')?.slice('page-'.length) ?? 0);
}

describe('a timeseries whose cursors always change', () => {
  let account: Account;

  beforeEach(async () => {
    account = await world.account(world.service);
  });

  it.each<[string, number, (number: number) => readonly number[]]>([
    ['shows one page again and again', 60, () => [1, 2]],
    ['shows three pages again and again', 120, (number) => [number % 3]],
    ['shows empty pages', 330, () => []],
    ['shows empty pages after some with data', 330, (number) => (number < 3 ? [number] : [])],
  ])('is given up after a few calls when it %s', async (_, most, minutesOf) => {
    answer = (url) => page(minutesOf(numberOf(url)), `page-${numberOf(url) + 1}`);
    const id = await world.request(service, account.ref);
    await service.backfill.runUntilIdle();
    expect(await world.task(id)).toMatchObject({ status: 'failed', error_code: 'pages_repeated', restarts: 2 });
    expect(asked.length).toBeLessThan(most);
    expect(await world.coverage()).toEqual([]);
  });

  it('is read to its end in turns if every page has new data, and again if all is known', async () => {
    const last = 130;
    answer = (url) => page([numberOf(url)], numberOf(url) < last ? `page-${numberOf(url) + 1}` : null);
    for (const origin of ['schedule', 'operator'] as const) {
      const id = await world.request(service, account.ref, { origin });
      await service.backfill.runUntilIdle();
      expect(await world.task(id)).toMatchObject({ status: 'done', pages: last + 1, restarts: 0, turns: 7 });
    }
  });
});

describe('introspection whose cursors always change', () => {
  const statistics = {
    ...{ status: 'success', days_with_data: 4, range_start: null, range_end: null, release: 'r' },
    timeline: { scheduled_at: '2026-11-19T00:00:00+00:00' },
  };
  const connection = { slug: 'oura', name: 'Oura', logo: '', status: 'connected', created_on: null };

  beforeEach(() => {
    answer = ({ pathname, searchParams }, call) => {
      if (pathname.startsWith('/v2/user/providers/')) return { providers: [connection] };
      const user_id = searchParams.get('user_id');
      if (user_id === null) return { data: [], next_cursor: `cursor ${call}` };
      const provider = { oura: { pulled: { heartrate: statistics }, not_pulled: [] } };
      const isEndless = user_id === endless.userId;
      return { data: [{ user_id, provider }], next_cursor: isEndless ? `cursor ${call}` : null };
    };
  });

  let endless: Account;
  let others: Account[];
  const asksAboutEndless = (): number =>
    asked.filter((url) => url.searchParams.get('user_id') === endless.userId).length;

  beforeEach(async () => {
    endless = await world.account(world.service, 'endless');
    others = [];
    for (let n = 0; n < 9; n++) others.push(await world.account(world.service, `other-${n}`));
    await service.write((tx) => tx.execute('UPDATE source_polls SET due_at = ?', [LONG_AGO]));
  });

  it('delays no other account, and its account is shown with the read pulls and the reason', async () => {
    await service.sourceCheck.runUntilIdle();
    const polls = await world.store.reader.rows<{ account_id: number; error_code: string | null }>(
      'SELECT account_id, error_code FROM source_polls WHERE checked_at IS NOT NULL ORDER BY account_id',
    );
    expect(polls).toHaveLength(1 + others.length);
    expect(polls.filter(({ error_code }) => error_code !== null)).toEqual([
      { account_id: endless.ref, error_code: 'pages_repeated' },
    ]);
    expect((await world.pulls()).filter(({ account_id }) => account_id === endless.ref)).toMatchObject([
      { provider: 'oura', resource: 'heartrate', status: 'success' },
    ]);
    expect(asksAboutEndless()).toBeLessThan(9);
    const { body } = await service.app.admin<{ waiting: object[] }>('GET', '/overview');
    expect(body.waiting).toContainEqual({ kind: 'source_poll', last_error: 'pages_repeated', count: 1 });
  });

  it('ends at the deadline of the poll if every page has new data', async () => {
    const base = answer;
    answer = (url, call) => {
      const reply = base(url, call) as { data?: { provider: object }[] };
      if (url.searchParams.get('user_id') !== endless.userId) return reply;
      world.clock.advance(61_000);
      const provider = { [`provider_${call}`]: { pulled: { heartrate: statistics }, not_pulled: [] } };
      return { ...reply, data: [{ user_id: endless.userId, provider }] };
    };
    await service.sourceCheck.runUntilIdle();
    const [poll] = await world.store.reader.rows<{ error_code: string }>(
      'SELECT error_code FROM source_polls WHERE account_id = ?',
      [endless.ref],
    );
    expect(poll).toEqual({ error_code: 'deadline' });
    expect(asksAboutEndless()).toBe(2);
  });
});
