import { gzipSync } from 'node:zlib';
import { errorOf, now } from './support/client.js';
import { hangUp, json, ScriptedServer, silence, text } from './support/scripted-server.js';
import { bulk, make, person, serveEachTest, server, user, userId } from './support/transports.js';

serveEachTest();

describe('retries', () => {
  it('repeats a read after 5xx, a broken connection and 408, with growing random pauses [errors-and-limits#retry]', async () => {
    server.answer(text(500, 'Internal Server Error'), hangUp, json(200, user));
    const { client, pauses } = make(server.url);
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
    expect(pauses).toEqual([250, 500]);
    server.answer(json(408, { detail: 'slow' }), json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('gives up after three attempts with the last error', async () => {
    server.answer(json(503, { detail: 'busy' }));
    const error = await errorOf(make(server.url).client.findUser(userId, bulk));
    expect(error).toMatchObject({ kind: 'unavailable', code: 'upstream_unavailable', status: 503 });
    expect(server.received).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 409, 422])(
    'does not repeat a refusal with %i [environments#key-permissions] [errors-and-limits#undeclared-statuses]',
    async (status) => {
      server.answer(json(status, { detail: 'no' }));
      const error = await errorOf(make(server.url).client.listUsers({ offset: 0, limit: 1 }, person));
      expect(error).toMatchObject({ kind: 'rejected', status });
      expect(server.received).toHaveLength(1);
    },
  );

  it('never repeats an order or a cancellation automatically [errors-and-limits#what-may-be-repeated]', async () => {
    server.answer(json(503, { detail: 'busy' }));
    const { client } = make(server.url);
    await errorOf(client.createOrder({ a: 1 }, 'key-1', bulk));
    await errorOf(client.cancelOrder('o1', bulk));
    expect(server.received).toHaveLength(2);
  });

  it('lets a person wait as long as upstream asked, within the deadline', async () => {
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '2' }), json(200, user));
    const { client, pauses } = make(server.url);
    await client.findUser(userId, person);
    expect(pauses).toEqual([2_250]);
    server.answer(
      json(
        429,
        { detail: 'slow down' },
        { 'x-ratelimit-reset': String(now / 1000 + 3), date: new Date(now).toUTCString() },
      ),
      json(200, user),
    );
    await client.findUser(userId, person);
    expect(pauses).toEqual([2_250, 3_250]);
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '3600' }));
    const error = await errorOf(client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 3_600_000, retryAfterSeconds: 3_600 });
  });

  it('returns throttling to bulk work immediately', async () => {
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '2' }));
    const { client, pauses } = make(server.url);
    const error = await errorOf(client.findUser(userId, bulk));
    expect(error).toMatchObject({ kind: 'throttled', code: 'upstream_throttled', retryAfterMs: 2_000 });
    expect(pauses).toEqual([]);
  });

  it('uses no slot of the budget while a call waits for its next attempt', async () => {
    let goOn: () => void = () => undefined;
    let waiting: () => void = () => undefined;
    const inPause = new Promise<void>((resolve) => (waiting = resolve));
    const sleep = () => {
      waiting();
      return new Promise<void>((resolve) => (goOn = resolve));
    };
    server.answer(json(503, { detail: 'busy' }), json(200, user));
    const { client } = make(server.url, { maxConcurrency: 1 }, { sleep });
    const first = client.findUser(userId, bulk);
    await inPause;
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
    goOn();
    await first;
    expect(server.received).toHaveLength(3);
  });
});

describe('the circuit', () => {
  const tuning = { circuit: { failures: 3, openMs: 1_000, maxOpenMs: 8_000 } };

  it('opens when upstream is down, fails immediately, and closes after a probe', async () => {
    server.answer(hangUp);
    const { client, clock, metrics } = make(server.url, {}, tuning);
    expect(await errorOf(client.findUser(userId, bulk))).toMatchObject({ reason: 'network' });
    server.received.length = 0;
    const refused = await errorOf(client.findUser(userId, person));
    expect(refused).toMatchObject({ kind: 'unavailable', reason: 'circuit_open', retryAfterMs: 1_000 });
    expect(server.received).toEqual([]);
    expect(await metrics.registry.metrics()).toContain('pulsekeep_upstream_circuit_state 2');
    server.answer(json(200, user));
    clock.advance(1_000);
    await expect(client.findUser(userId, person)).resolves.toMatchObject(user);
    expect(await metrics.registry.metrics()).toContain('pulsekeep_upstream_circuit_state 0');
  });

  it('stays closed after refusals and throttling', async () => {
    const { client } = make(server.url, {}, tuning);
    for (const status of [400, 401, 404, 408, 422, 429]) {
      server.answer(json(status, { detail: 'no' }));
      for (let i = 0; i < 4; i++) await errorOf(client.listUsers({ offset: 0, limit: 1 }, bulk));
    }
    server.answer(json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('stays closed when availability is not enabled for the team [errors-and-limits#undeclared-statuses]', async () => {
    server.answer(json(503, { detail: 'not enabled' }));
    const { client } = make(server.url, {}, tuning);
    for (let i = 0; i < 3; i++) await errorOf(client.availability({ lab: 'quest' }, 'body', person));
    server.answer(json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('stays closed however many callers leave', async () => {
    const { client } = make(server.url, {}, tuning);
    for (let i = 0; i < 5; i++) {
      const caller = new AbortController();
      server.answer(() => caller.abort(new Error('gone')));
      await expect(client.findUser(userId, { ...bulk, signal: caller.signal })).rejects.toThrow('gone');
    }
    server.answer(json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('also opens on silence, but not if the caller left no time for the call', async () => {
    server.answer(silence);
    const { client } = make(server.url, { timeoutMs: 400 }, tuning);
    for (let i = 0; i < 4; i++) {
      expect(await errorOf(client.findUser(userId, { priority: 'bulk', deadlineMs: 10 }))).toMatchObject({
        reason: 'deadline',
      });
    }
    await errorOf(client.findUser(userId, { priority: 'bulk', deadlineMs: 10_000 }));
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ reason: 'circuit_open' });
  });
});

describe('answers', () => {
  it('unpacks compressed JSON', async () => {
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(user)));
    });
    await expect(make(server.url).client.findUser(userId, person)).resolves.toMatchObject(user);
  });

  it.each([
    ['no JSON', text(200, '<html>'), 'not_json'],
    ['half a JSON', text(200, '{"user_id": "'), 'not_json'],
    ['nothing', text(200, ''), 'missing_field'],
    ['another shape', json(200, [user]), 'missing_field'],
    ['no id', json(200, { client_user_id: 'cust-42' }), 'missing_field'],
    ['a redirect', json(302, {}, { location: 'http://127.0.0.1:9/' }), 'status'],
  ])(
    'calls %s a breach of contract and does not repeat the call [errors-and-limits#declared-statuses]',
    async (_, answer, reason) => {
      server.answer(answer);
      const error = await errorOf(make(server.url).client.findUser(userId, person));
      expect(error).toMatchObject({ kind: 'contract', code: 'upstream_contract', reason });
      expect(server.received).toHaveLength(1);
    },
  );

  it.each([307, 308])('follows a %i within the origin, with body and key [users#create]', async (status) => {
    const created = { ...user, client_user_id: 'cust-42' };
    server.answer(json(status, {}, { location: '/v2/user/?once=1' }), json(200, created));
    const { client } = make(server.url);
    await expect(client.createUser({ client_user_id: 'cust-42' }, person)).resolves.toMatchObject({
      outcome: 'created',
    });
    const [first, second] = server.received;
    expect([first?.url, second?.url]).toEqual(['/v2/user', '/v2/user/?once=1']);
    expect(second).toMatchObject({ method: 'POST', body: first?.body });
    expect(second?.headers['x-service-api-key']).toBe(first?.headers['x-service-api-key']);
  });

  it('follows no redirect to another origin, however similar, and ends a loop [errors-and-limits#declared-statuses]', async () => {
    const elsewhere = await ScriptedServer.start();
    const { client } = make(server.url);
    for (const location of [
      `${elsewhere.url}/v2/user/`,
      `//${new URL(elsewhere.url).host}/`,
      server.url.replace('http', 'https'),
      '//[',
    ]) {
      server.answer(json(307, {}, { location }));
      expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', status: 307 });
    }
    expect(elsewhere.received).toEqual([]);
    const before = server.received.length;
    server.answer(json(308, {}, { location: '/v2/user' }));
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', status: 308 });
    expect(server.received.length - before).toBe(4);
    await elsewhere.close();
  });

  it('refuses a response above its size limit, even if compressed', async () => {
    const large = JSON.stringify({ ...user, filler: 'x'.repeat(200_000) });
    const { client } = make(server.url, {}, { maxResponseBytes: 100_000 });
    server.answer(text(200, large));
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', reason: 'too_large' });
    server.answer((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large));
    });
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', reason: 'too_large' });
  });

  it('calls upstream directly, whatever proxy the environment names', async () => {
    const saved = process.env.http_proxy;
    process.env.http_proxy = 'http://127.0.0.1:9';
    try {
      server.answer(json(200, user));
      await expect(make(server.url).client.findUser(userId, person)).resolves.toMatchObject(user);
    } finally {
      if (saved === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = saved;
    }
  });

  it('keeps connections alive', async () => {
    const ports = new Set<number | undefined>();
    server.answer((response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(200).end(JSON.stringify(user));
    });
    const { client } = make(server.url);
    for (let i = 0; i < 5; i++) await client.findUser(userId, person);
    expect(ports.size).toBe(1);
  });

  it('counts every attempt by operation and outcome', async () => {
    server.answer(text(500, 'x'), json(200, user));
    const { client, metrics } = make(server.url);
    await client.findUser(userId, bulk);
    server.answer(json(404, { detail: 'none' }));
    await client.findUser(userId, bulk);
    const shown = await metrics.registry.metrics();
    const operation = 'operation="GET /v2/user/{user_id}"';
    expect(shown).toContain(`pulsekeep_upstream_requests_total{${operation},outcome="unavailable"} 1`);
    expect(shown).toContain(`pulsekeep_upstream_requests_total{${operation},outcome="ok"} 2`);
    expect(shown).toContain(`pulsekeep_upstream_request_duration_seconds_count{${operation}} 3`);
    expect(shown).toContain('pulsekeep_upstream_waiting{priority="bulk"} 0');
  });
});
