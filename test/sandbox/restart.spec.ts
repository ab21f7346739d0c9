import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { call, closeAll, receiverFor } from './support.js';

const start = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;

describe('a sandbox with a state path', () => {
  let folder: string;
  let sandbox: Sandbox;

  const begin = async (at: number, messageSeed: string): Promise<void> => {
    sandbox = await startSandbox({
      ...{ timeScale: 0, startAt: at, messageSeed, statePath: join(folder, 'state') },
    });
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    await begin(start, 'first');
  });

  afterEach(async () => {
    await sandbox.close();
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  it('continues after a restart with its users, data, orders and undelivered messages', async () => {
    const { users } = await sandbox.control.createUsers({ client_user_id: 'cust-1' });
    const user_id = users[0]?.user_id ?? '';
    const history = { days: 3, per_day: 2 };
    await sandbox.control.connect({ user_id, provider: 'oura', resources: ['sleep', 'steps'], history });
    await sandbox.control.advance(600);
    const [edited] = (await call(sandbox, `GET /v2/summary/sleep/${user_id}?start_date=2026-11-17`)).body.sleep;
    await sandbox.control.edit({ user_id, resource: 'sleep', count: 1 });
    const { order } = await sandbox.control.createOrder({ user_id });
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const { redraw } = await sandbox.control.redraw(order.id);
    const truth = async () => [
      await sandbox.control.truth(user_id, 'sleep'),
      await sandbox.control.truth(user_id, 'steps'),
      await sandbox.control.truthOrders(),
      await sandbox.control.truthUsers(),
    ];
    const before = await truth();
    const waiting = (await sandbox.control.messages()).messages.map(({ id }) => id);
    expect([edited.id, waiting.length]).toEqual([expect.any(String), expect.any(Number)]);
    await sandbox.close();

    await begin(start + 600_000, 'second');
    expect(await truth()).toEqual(before);
    const hook = await receiverFor();
    await sandbox.control.configureWebhooks({ url: hook.url });
    await sandbox.control.settle();
    const sent = (await sandbox.control.messages()).messages.filter(({ id }) => waiting.includes(id));
    expect(sent.map(({ id, state }) => [id, state])).toEqual(waiting.map((id) => [id, 'delivered']));
    await sandbox.control.walkOrder(redraw.id);
    expect((await sandbox.control.truthOrders()).orders).toContainEqual(
      expect.objectContaining({ id: redraw.id, status: expect.stringContaining('completed') }),
    );
    const next = await sandbox.control.createOrder({ user_id });
    expect([order.id, redraw.id]).not.toContain(next.order.id);
  });

  it('resumes an open pull, and adds what sources recorded meanwhile', async () => {
    const { users } = await sandbox.control.createUsers({ client_user_id: 'cust-1' });
    const user_id = users[0]?.user_id ?? '';
    const history = { days: 3, per_day: 2 };
    await sandbox.control.connect({ user_id, provider: 'oura', resources: ['steps'], history });
    await sandbox.close();

    await begin(start, 'second');
    expect((await sandbox.control.state()).pulls).toMatchObject({ open: 1 });
    await sandbox.control.advance(600);
    const rows = async (): Promise<unknown[]> => ((await sandbox.control.truth(user_id, 'steps')) as { rows: [] }).rows;
    const old = await rows();
    expect(old).toHaveLength(6);
    await sandbox.close();

    await begin(start + 2 * DAY, 'third');
    const now = await rows();
    expect([now.length, now.slice(0, 6)]).toEqual([10, old]);
    const types = (await sandbox.control.messages()).messages.map(({ event_type }) => event_type);
    expect(types).toContain('daily.data.steps.created');
  });
});

describe('the hosted page of a link token', () => {
  let sandbox: Sandbox;
  let user_id: string;

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 0 });
    user_id = (await sandbox.control.createUsers({ client_user_id: 'cust-1' })).users[0]?.user_id ?? '';
  });

  afterEach(() => sandbox.close());

  const linkOf = async (more: object = {}): Promise<URL> =>
    new URL(String((await call(sandbox, 'POST /v2/link/token', { user_id, ...more })).body.link_web_url));

  async function end(page: URL, fields: Record<string, string>): Promise<Response> {
    const token = page.searchParams.get('token') ?? '';
    const query = new URLSearchParams({ token, ...fields }).toString();
    return fetch(`${page.origin}/link/end?${query}`, { redirect: 'manual' });
  }

  const redirect_url = 'https://app.example/done?attempt=1';

  it('offers the three outcomes without a key [linking-and-tokens#link-token]', async () => {
    const page = await linkOf({ filter_on_providers: ['oura', 'withings'] });
    expect([...page.searchParams.keys()]).toEqual(['token', 'env', 'region']);
    const text = await (await fetch(page)).text();
    for (const words of ['Connect it', 'Cancel as the person', 'Fail as the provider', 'Oura', 'Withings'])
      expect(text).toContain(words);
    expect(text).not.toContain('Fitbit');
  });

  it.each([
    ['a success', { provider: 'oura' }, { state: 'success' }],
    ['a person who cancels', { outcome: 'user_cancelled' }, { state: 'error', error_type: 'user_cancelled' }],
    ['a provider that fails', { outcome: 'provider_api_error' }, { state: 'error', error_type: 'provider_api_error' }],
  ])('redirects with 307 after %s [linking-and-tokens#redirect]', async (_, fields: Record<string, string>, wanted) => {
    const page = await linkOf({ redirect_url, on_close: 'redirect' });
    const ended = await end(page, fields);
    const target = new URL(ended.headers.get('location') ?? '');
    const { attempt, error, ...rest } = Object.fromEntries(target.searchParams);
    expect([ended.status, target.origin, attempt, rest]).toEqual([307, 'https://app.example', '1', wanted]);
    expect(error === undefined).toBe(wanted.state === 'success');
    const connected = (await sandbox.control.truthUsers()).users[0]?.providers;
    expect(connected).toEqual(wanted.state === 'success' ? ['oura'] : []);
    // A failed attempt leaves the token usable; a success consumes it.
    expect((await (await fetch(page)).text()).includes('token_consumed')).toBe(wanted.state === 'success');
  });

  it('stays at its end without a redirect', async () => {
    const closed = await end(await linkOf({ redirect_url }), { outcome: 'user_cancelled' });
    expect([closed.status, await closed.text()]).toEqual([200, expect.stringContaining('user_cancelled')]);
    const done = await end(await linkOf({ provider: 'oura' }), {});
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('The source is connected.')]);
  });

  it('asks again after a choice that it does not have, and refuses an unknown token', async () => {
    const odd = await (await end(await linkOf(), { outcome: '<b>' })).text();
    expect([odd.includes('Connect it'), odd.includes('<b>')]).toEqual([true, false]);
    const unknown = await (await fetch(`${sandbox.url}/link?token=other`)).text();
    expect(unknown).toContain('invalid_token');
  });
});
