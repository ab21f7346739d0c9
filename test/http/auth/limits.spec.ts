import { request as httpRequest } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_REFUSALS, REFUSAL_WAIT_MS } from '../../../src/http/auth/admission.service.js';
import { near } from '../../labs/catalogue/support/slots.js';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';
import { json, ScriptedServer } from '../../upstream/client/support/scripted-server.js';

/** So 2 token calls of a kind, and 1 search of labs. */
const few = { ACCOUNT_REQUESTS_PER_MINUTE: '5' };

describe('the quota of a caller', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ env: few });
  });

  afterEach(() => app.close());

  it('is shown in every response; further requests of that account are refused until it is refilled', async () => {
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    const answers = [];
    for (let count = 0; count < 6; count++) answers.push(await app.as('anna', 'GET', '/me'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([
      '"requests";r=4;t=12',
      '"requests";r=3;t=24',
      '"requests";r=2;t=36',
      '"requests";r=1;t=48',
      '"requests";r=0;t=60',
      '"requests";r=0;t=60',
    ]);
    expect(answers[5]?.headers).toMatchObject({ 'retry-after': '12', 'ratelimit-policy': '"requests";q=5;w=60' });
    expect(answers[5]?.body.code).toBe('rate_limited');
    expect((await app.as('berta', 'GET', '/me')).status).toBe(200);
    await app.wait(12);
    expect((await app.as('anna', 'GET', '/me')).status).toBe(200);
    expect(await app.metric('rate_limited_total', { limit: 'requests', reason: 'quota' })).toBe(1);
  });

  it('is separate for each kind of request', async () => {
    for (let count = 0; count < 6; count++) await app.as('anna', 'GET', '/me');
    for (const [path, quota] of [
      ['/me/sign-in-token', 2],
      ['/me/link-token', 2],
      ['/labs/compendium/search', 1],
    ] as const) {
      const body = path.endsWith('search') ? { mode: 'canonical', query: 'a1c' } : {};
      const statuses = [];
      for (let count = 0; count <= quota; count++) statuses.push((await app.as('anna', 'POST', path, body)).status);
      expect([path, statuses.indexOf(429)]).toEqual([path, quota]);
    }
  });

  it('of a key is shared by all its requests, and separate from other keys', async () => {
    const left = [];
    for (const path of ['/accounts', '/orders', '/labs/tests', '/overview']) {
      const { headers } = await app.admin('GET', path);
      expect(headers['ratelimit-policy']).toBe('"keys";q=12000;w=60');
      left.push(headers['ratelimit']);
    }
    const other = await app.admin('GET', '/accounts', undefined, 'viewer');
    expect([...left, other.headers['ratelimit']]).toEqual(
      [11_999, 11_998, 11_997, 11_996, 11_999].map((remaining) => `"keys";r=${remaining};t=1`),
    );
  });

  it('refuses without entries in the access log, so that refusals make nothing grow', async () => {
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    const entries = async (): Promise<number> => {
      await app.chainAccesses();
      const sql = 'SELECT COUNT(*) AS entries FROM access_log';
      return Number((await app.store.reader.row<{ entries: number }>(sql))?.entries);
    };
    for (let count = 0; count < 5; count++) await app.as('anna', 'GET', '/me');
    const before = await entries();
    for (let count = 0; count < 10; count++) await app.as('anna', 'GET', '/me');
    expect(await entries()).toBe(before);
  });

  it('of a caller who floods on many connections does not change, and affects no other caller', async () => {
    await app.as('anna', 'GET', '/me');
    await app.as('berta', 'POST', '/me/sign-in-token', {});
    const flood = Array.from({ length: 200 }, () => app.as('anna', 'GET', '/me'));
    expect((await app.as('berta', 'GET', '/me')).status).toBe(200);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(196);
    expect(new Set(refused.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['12']));
    expect(await app.metric('rate_limited_total', { limit: 'requests', reason: 'quota' })).toBe(196);
  });

  it.each([
    ['is over its quota', 429, MAX_REFUSALS.caller, 'anna'],
    ['has no valid credentials', 401, MAX_REFUSALS.address, undefined],
  ] as const)(
    'of a caller who %s and goes on takes hardly any time from others',
    async (_, status, atOnce, account) => {
      const loops = 20;
      let refused = 0;
      let isOver = false;
      const token = account === undefined ? 'x' : await app.appToken(account);
      const callAgain = async (): Promise<void> => {
        const answer = await app.call('GET', '/v1/me', `Bearer ${token}`);
        if (answer.status === status) refused += 1;
        if (!isOver) await callAgain();
      };
      const flood = Array.from({ length: loops }, callAgain);
      await until(async () => refused >= atOnce);
      const [before, from] = [refused, performance.now()];
      for (let count = 0; count < 50; count++) await app.admin('GET', '/accounts');
      const seconds = (performance.now() - from) / 1_000;
      expect(refused - before).toBeLessThanOrEqual(loops * (1 + seconds / (REFUSAL_WAIT_MS / 1_000)));
      isOver = true;
      await Promise.all(flood);
    },
  );

  it('is in the API document of every operation that has a login', async () => {
    const { paths, components } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    type Operation = { security: object[]; responses: Record<string, { headers?: object; description: string }> };
    const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
    const limited = operations.filter(({ security }) => security.length > 0);
    expect(limited.length).toBeGreaterThan(60);
    for (const { responses } of limited) {
      expect(Object.keys(responses['429']?.headers ?? {})).toEqual(
        expect.arrayContaining(['retry-after', 'ratelimit', 'ratelimit-policy']),
      );
      expect(responses['503']).toBeDefined();
    }
    expect(Object.keys(components?.headers ?? {})).toEqual(expect.arrayContaining(['RateLimit', 'RateLimitPolicy']));
    const open = operations.filter(({ security }) => security.length === 0);
    expect(open.filter(({ responses }) => '429' in responses)).toEqual([]);
  });
});

describe('before a body is read', () => {
  it.each([
    ['/v1/me/link-outcomes', 401],
    ['/v1/labs/availability', 401],
    ['/admin/v1/accounts', 401],
    ['/admin/v1/messages/replay', 401],
  ])('the caller of %s is known, or refused', async (path, status) => {
    const app = await TestApp.create({ upstream: { url: nowhere } });
    const answered = new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 200_000, authorization: 'Bearer x' };
      const sent = httpRequest(`${app.url}${path}`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      // Its head alone is sent: with the body still to come there is an answer.
      sent.flushHeaders();
    });
    expect(await answered).toBe(status);
    await app.close();
  });
});

describe('callers who wait for upstream', () => {
  let upstream: ScriptedServer;
  let app: TestApp;
  let letGo: () => void;
  let waiting: Promise<void>;

  beforeEach(async () => {
    upstream = await ScriptedServer.start();
    waiting = new Promise((resolve) => (letGo = resolve));
    upstream.answer(async (response, received) => {
      if (received.url.includes('availability')) await waiting;
      await json(200, { slots: [], timezone: null })(response, received);
    });
    app = await TestApp.create({ upstream, env: { UPSTREAM_MAX_CONCURRENCY: '3' } });
  });

  afterEach(async () => {
    letGo();
    await app.close();
    await upstream.close();
  });

  const search = (account: string, radius: number): Promise<number> =>
    app.as(account, 'POST', '/labs/availability', { ...near, radius }).then(({ status }) => status);
  const asked = (): number => upstream.received.filter(({ url }) => url.includes('availability')).length;
  const inQueue = async (): Promise<number> => {
    await app.figures();
    return app.metric('upstream_waiting', { priority: 'interactive' });
  };

  it('have a share of open requests, which one account cannot exceed', async () => {
    const kinds = Array.from({ length: 18 }, (_, index) => ({ ...near, zip_code: String(10_001 + index) }));
    const statuses = kinds.map((body) =>
      app.as('anna', 'POST', '/labs/availability', body).then(({ status }) => status),
    );
    await until(async () => (await app.metric('rate_limited_total', { limit: 'labs', reason: 'share' })) >= 2);
    const other = search('berta', 10);
    letGo();
    const all = await Promise.all(statuses);
    expect(all.filter((status) => status === 429)).toHaveLength(2);
    expect(await other).not.toBe(429);
  });

  it('leave the queue when they hang up, and upstream is not called for them', async () => {
    const first = [search('anna', 10), search('berta', 20)];
    await until(async () => asked() === 2);
    const authorization = `Bearer ${await app.appToken('carla')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const leaving = httpRequest(`${app.url}/v1/labs/availability`, { method: 'POST', headers });
    leaving.on('error', () => undefined);
    leaving.end(JSON.stringify({ ...near, radius: 50 }));
    await until(async () => (await inQueue()) === 1);
    leaving.destroy();
    await until(async () => (await app.metric('http_problems_total', { code: 'caller_left' })) === 1);
    letGo();
    await Promise.all(first);
    await search('dora', 100);
    expect(asked()).toBe(3);
    expect(upstream.received.map(({ url, body }) => url + body).join()).not.toMatch(/radius["=:]+50\b/);
  });

  it('share one call with identical requests, which continues while one of them stays', async () => {
    const authorization = `Bearer ${await app.appToken('carla')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const leaving = httpRequest(`${app.url}/v1/labs/availability`, { method: 'POST', headers });
    leaving.on('error', () => undefined);
    leaving.end(JSON.stringify({ ...near, radius: 50 }));
    await until(async () => asked() === 1);
    const staying = search('dora', 50);
    await until(async () => (await app.metric('labs_answers_total', { search: 'availability', use: 'shared' })) === 1);
    leaving.destroy();
    await until(async () => (await app.metric('http_problems_total', { code: 'caller_left' })) === 1);
    letGo();
    expect(await staying).toBe(200);
    expect(asked()).toBe(1);
  });

  it('do not delay sign-ins', async () => {
    const searches = ['anna', 'berta', 'carla', 'dora'].map((account, index) =>
      search(account, [10, 20, 25, 50][index] ?? 100),
    );
    await until(async () => (await inQueue()) === 2);
    // Upstream's answer is none of a token; that it was asked at all, while all others wait, is what counts.
    await app.as('emil', 'POST', '/me/sign-in-token', {});
    expect(asked()).toBe(2);
    expect(upstream.received.some(({ url }) => url.startsWith('/v2/user'))).toBe(true);
    letGo();
    await Promise.all(searches);
  });
});
