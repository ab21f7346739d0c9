import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PulsekeepClient, PulsekeepError, version } from '../../clients/typescript/src/index.js';
import { orderBody } from '../support/ordering.js';
import { TestApp } from '../support/test-app.js';

const read = (path: string): string => readFileSync(resolve(path), 'utf8');

describe('the TypeScript client', () => {
  it('has the types of openapi.json; after a change run `npm run openapi`', () => {
    const folder = mkdtempSync(resolve('clients/typescript/src/current-'));
    try {
      const made = join(folder, 'api.ts');
      expect(spawnSync(process.execPath, ['scripts/client.mjs', made], { encoding: 'utf8' })).toMatchObject({
        status: 0,
      });
      expect(readFileSync(made, 'utf8') === read('clients/typescript/src/api.ts')).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('compiles without the types of Node and has no dependencies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    const compiler = ['node_modules/typescript/bin/tsc', '-p', 'clients/typescript', '--outDir', folder];
    const { status, stdout } = spawnSync(process.execPath, compiler, { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    const about = JSON.parse(read('clients/typescript/package.json')) as Record<string, unknown>;
    expect(Object.keys(about).filter((name) => /dependencies/i.test(name))).toEqual([]);
    expect([about['version'], version]).toEqual([
      version,
      (JSON.parse(read('package.json')) as typeof about)['version'],
    ]);
  });
});

describe('the TypeScript client, at the running service,', () => {
  const account = 'client-1';
  let app: TestApp;
  let waits: number[];
  let sent: Request[];
  let me: PulsekeepClient;
  let backend: PulsekeepClient;
  /** What is answered in the place of the service, in this order. */
  let instead: (Response | Error)[];

  beforeAll(async () => {
    app = await TestApp.create();
    await app.connect(account, 'oura', { days: 7, per_day: 2 });
    await app.advance(3_600, 4);
  });

  beforeEach(() => {
    waits = [];
    sent = [];
    instead = [];
    const common = {
      baseUrl: `${app.url}/`,
      sleep: async (milliseconds: number) => void waits.push(milliseconds),
      fetch: (async (url: string, init?: RequestInit) => {
        sent.push(new Request(url, init));
        const answer = instead.shift();
        if (answer instanceof Error) throw answer;
        return answer ?? fetch(url, init);
      }) as typeof fetch,
    };
    me = new PulsekeepClient({ ...common, token: () => app.appToken(account) });
    backend = new PulsekeepClient({ ...common, token: 'backend-key' });
  });

  afterAll(() => app.close());

  const keys = (): (string | null)[] => sent.map(({ headers }) => headers.get('idempotency-key'));
  const refused = (status: number, headers: Record<string, string> = {}): Response =>
    new Response('{}', { status, headers: { 'content-type': 'application/problem+json', ...headers } });
  const place = async (idempotencyKey?: string) => {
    const body = { ...(await orderBody(app.sandbox.control)), account_id: account };
    return backend.call('placeOrder', { body: body as never, ...(idempotencyKey ? { idempotencyKey } : {}) });
  };

  it('reads the account and the records of the person', async () => {
    const { account: own, sources } = await me.call('getMe');
    expect([own.account_id, sources.map(({ provider }) => provider)]).toEqual([account, ['oura']]);
    const { sign_in_token } = await me.call('createMySignInToken', { body: { installation_id: 'phone-1' } });
    expect(sign_in_token.length).toBeGreaterThan(10);
    expect(await me.call('reportLinkOutcome', { body: { outcome: 'exit' } })).toBeUndefined();
  });

  it('reads every record of a resource, over all pages, with its own fields', async () => {
    const totals: (number | null | undefined)[] = [];
    for await (const night of me.records('sleep', { limit: 3 })) totals.push(night.data.total);
    expect(totals.length).toBeGreaterThan(6);
    expect(totals.every((seconds) => typeof seconds === 'number')).toBe(true);
    expect(sent.length).toBeGreaterThan(totals.length / 3);
    const pressures: (number | undefined)[] = [];
    for await (const { systolic } of me.records('blood_pressure')) pressures.push(systolic);
    expect(pressures.length).toBeGreaterThan(3);
    for await (const { resource } of me.rows('listMyRecords', { path: { resource: 'sleep' } }))
      expect(resource).toBe('sleep');
  });

  it('throws the error of the service', async () => {
    const wrong = me.call('listMyRecords', { path: { resource: 'sleep' }, query: { limit: 1_000 } });
    await expect(wrong).rejects.toBeInstanceOf(PulsekeepError);
    await expect(wrong).rejects.toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'limit' }] });
    await expect(backend.call('getMe')).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(waits).toEqual([]);
  });

  it('waits for the requested time, and tries again', async () => {
    instead = [refused(429, { 'retry-after': '7' }), refused(503), refused(503, { 'retry-after': '2' })];
    expect((await me.call('getMe')).account.account_id).toBe(account);
    expect(waits).toEqual([7_000, 2_000, 2_000]);
  });

  it('gives up after four attempts, or if the wait is too long', async () => {
    instead = [1, 2, 3, 4].map(() => refused(503, { 'retry-after': '1' }));
    await expect(me.call('getMe')).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(4);
    instead = [refused(429, { 'retry-after': '3600' })];
    await expect(me.call('getMe')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3_600 });
    expect(sent).toHaveLength(5);
  });

  it('gives up after four attempts even if the options name none', async () => {
    let tries = 0;
    const busy = new PulsekeepClient({
      ...{ baseUrl: app.url, token: 'a-token', sleep: async () => undefined, attempts: undefined },
      fetch: async () => (++tries < 20 ? refused(503, { 'retry-after': '1' }) : new Response('{}')),
    });
    await expect(busy.call('getMe')).rejects.toMatchObject({ status: 503 });
    expect(tries).toBe(4);
  });

  it('places an order once, even if the response is lost', async () => {
    instead = [new TypeError('fetch failed')];
    const placed = await place();
    expect(placed.replayed).toBe(false);
    expect(keys()).toEqual([keys()[0], keys()[0]]);
    expect(keys()[0]).toMatch(/^[\w-]{20,}$/);
    expect(await place('basket-7')).toMatchObject({ replayed: false });
    expect(await place('basket-7')).toMatchObject({ replayed: true });
  });

  it('does not repeat a call that may have taken effect', async () => {
    instead = [new TypeError('fetch failed')];
    await expect(me.call('createMyLinkToken', { body: { provider: 'oura' } })).rejects.toThrow('fetch failed');
    expect(sent).toHaveLength(1);
  });

  it('repeats a call that the service refused, but none that only a proxy says to have failed', async () => {
    const link = () => me.call('createMyLinkToken', { body: { provider: 'oura' } });
    const type = { 'content-type': 'application/problem+json' };
    instead = [new Response('{"code":"busy"}', { status: 503, headers: type })];
    expect((await link()).link_token).toBeDefined();
    expect(sent).toHaveLength(2);
    for (const body of ['reset before headers', '{"code":"busy"}']) {
      sent = [];
      const type = { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain' };
      instead = [new Response(body, { status: 503, headers: type })];
      await expect(link()).rejects.toMatchObject({ status: 503, code: 'unknown' });
      expect(sent).toHaveLength(1);
    }
  });

  it('throws for a response that is not from the service', async () => {
    instead = [new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } })];
    await expect(me.call('getMe')).rejects.toMatchObject({ status: 502, code: 'unknown' });
  });

  it.each([
    ['text/html', '<html>Sign in to this network'],
    ['application/json', '{"account":'],
  ])('throws for a page or half a response in place of an answer: %s', async (type, text) => {
    instead = [new Response(text, { status: 200, headers: { 'content-type': type } })];
    await expect(me.call('getMe')).rejects.toMatchObject({ name: 'PulsekeepError', status: 200, code: 'unknown' });
  });

  it('ends the wait for another attempt when the signal aborts', async () => {
    const ended = new AbortController();
    const waiting = new PulsekeepClient({
      ...{ baseUrl: app.url, token: 'a-token', fetch: async () => refused(503, { 'retry-after': '30' }) },
      sleep: () => {
        queueMicrotask(() => ended.abort(new Error('left')));
        return new Promise(() => undefined);
      },
    });
    await expect(waiting.call('getMe', { signal: ended.signal })).rejects.toThrow('left');
  });
});
