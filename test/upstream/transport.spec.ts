import { gzipSync } from 'node:zlib';
import { type ClientUnderTest, clientFor, errorOf, now } from './support/client.js';
import { hangUp, json, ScriptedServer, silence, text } from './support/scripted-server.js';

const userId = '00000000-0000-4000-8000-000000000001';
const user = { user_id: userId, client_user_id: 'cust-42' };
const person = { priority: 'interactive' } as const;
const bulk = { priority: 'bulk' } as const;

let server: ScriptedServer;
let made: ClientUnderTest[] = [];

const make: typeof clientFor = (...args) => {
  const underTest = clientFor(...args);
  made.push(underTest);
  return underTest;
};

beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(async () => {
  for (const { transport } of made) transport.onApplicationShutdown();
  made = [];
  await server.close();
});

describe('retries', () => {
  it('repeats a read after 5xx, a broken line and 408, with a growing share of chance [errors-and-limits#retry]', async () => {
    server.answer(text(500, 'Internal Server Error'), hangUp, json(200, user));
    const { client, pauses } = make(server.url);
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
    expect(pauses).toEqual([250, 500]);
    server.answer(json(408, { detail: 'slow' }), json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('gives up after three tries with the last error', async () => {
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

  it('repeats placing an order with the same key, and never a cancel or a refresh [errors-and-limits#what-may-be-repeated]', async () => {
    server.answer(hangUp, json(200, { order: { id: 'o1', user_id: userId } }));
    const { client } = make(server.url);
    await client.createOrder({ a: 1 }, 'key-1', bulk);
    expect(server.received.map(({ headers }) => headers['x-idempotency-key'])).toEqual(['key-1', 'key-1']);
    server.received.length = 0;
    server.answer(json(503, { detail: 'busy' }));
    await errorOf(client.cancelOrder('o1', bulk));
    await errorOf(client.refreshUser(userId, {}, bulk));
    expect(server.received).toHaveLength(2);
  });

  it('makes a person wait for as long as upstream asked, within the deadline', async () => {
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '2' }), json(200, user));
    const { client, pauses } = make(server.url);
    await client.findUser(userId, person);
    expect(pauses).toEqual([2_250]);
    server.answer(json(429, { detail: 'slow down' }, { 'x-ratelimit-reset': String(now / 1000 + 3) }), json(200, user));
    await client.findUser(userId, person);
    expect(pauses).toEqual([2_250, 3_250]);
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '3600' }));
    const error = await errorOf(client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 3_600_000, retryAfterSeconds: 3_600 });
  });

  it('hands throttling straight back to bulk work', async () => {
    server.answer(json(429, { detail: 'slow down' }, { 'retry-after': '2' }));
    const { client, pauses } = make(server.url);
    const error = await errorOf(client.findUser(userId, bulk));
    expect(error).toMatchObject({ kind: 'throttled', code: 'upstream_throttled', retryAfterMs: 2_000 });
    expect(pauses).toEqual([]);
  });

  it('holds no place in the budget while a call waits for its next try', async () => {
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

describe('time', () => {
  it('ends a try that gets no answer as unavailable', async () => {
    server.answer(silence);
    const error = await errorOf(make(server.url, { timeoutMs: 50 }).client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
  });

  it('ends a try whose body stops half way', async () => {
    server.answer((response) => void response.writeHead(200, { 'content-length': 100 }).write('{"user_id"'));
    const error = await errorOf(make(server.url, { timeoutMs: 50 }).client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
  });

  it('ends a call at its deadline although each try would have more time', async () => {
    server.answer(silence);
    const call = make(server.url).client.findUser(userId, { priority: 'bulk', deadlineMs: 30 });
    expect(await errorOf(call)).toMatchObject({ kind: 'unavailable', reason: 'deadline' });
  });

  it('gives a refresh the time it was told to take, beyond that of other calls', async () => {
    const { client } = make(server.url, { timeoutMs: 50 });
    let finish: () => void = () => undefined;
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    server.answer((response, request) => {
      finish = () => void json(200, { success: true })(response, request);
      arrive();
    }, silence);
    const refresh = client.refreshUser(userId, { timeoutSeconds: 5 }, person);
    await arrived;
    await expect(client.findUser(userId, person)).rejects.toMatchObject({ reason: 'timeout' });
    finish();
    await expect(refresh).resolves.toMatchObject({ finished: true });
  });

  it('counts the wait for its turn towards the deadline', async () => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    server.answer(() => arrive());
    const { client } = make(server.url, { maxConcurrency: 1 });
    const stop = new AbortController();
    const first = client.findUser(userId, { priority: 'bulk', signal: stop.signal });
    await arrived;
    const second = client.findUser(userId, { priority: 'bulk', deadlineMs: 30 });
    expect(await errorOf(second)).toMatchObject({ reason: 'deadline' });
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(server.received).toHaveLength(1);
  });

  it('ends with the reason of the caller, while calling, pausing or before the start', async () => {
    const { client } = make(server.url);
    const whileCalling = new AbortController();
    server.answer(() => whileCalling.abort(new Error('calling')));
    await expect(client.findUser(userId, { ...bulk, signal: whileCalling.signal })).rejects.toThrow('calling');

    const whilePausing = new AbortController();
    server.answer(text(500, 'x'));
    const real = make(
      server.url,
      {},
      {
        sleep: async (_, signal) => {
          whilePausing.abort(new Error('pausing'));
          signal.throwIfAborted();
        },
      },
    );
    await expect(real.client.findUser(userId, { ...bulk, signal: whilePausing.signal })).rejects.toThrow('pausing');

    const before = AbortSignal.abort(new Error('before'));
    server.received.length = 0;
    await expect(client.findUser(userId, { ...bulk, signal: before })).rejects.toThrow('before');
    expect(server.received).toEqual([]);
  });

  it('leaves no listener on a signal that outlives its calls', async () => {
    server.answer(json(200, user));
    const { signal } = new AbortController();
    const added = jest.spyOn(signal, 'addEventListener');
    const removed = jest.spyOn(signal, 'removeEventListener');
    const { client } = make(server.url);
    for (let i = 0; i < 5; i++) await client.findUser(userId, { ...bulk, signal });
    expect(added).toHaveBeenCalledTimes(5);
    expect(removed).toHaveBeenCalledTimes(5);
  });
});

describe('the circuit', () => {
  const tuning = { circuit: { failures: 3, openMs: 1_000, maxOpenMs: 8_000 } };

  it('opens when upstream is down, fails at once, and closes after a probe', async () => {
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

  it('stays closed whatever is refused or throttled', async () => {
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
    for (let i = 0; i < 3; i++) await errorOf(client.availability({ lab: 'quest' }, person));
    server.answer(json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('stays closed however many callers go away', async () => {
    const { client } = make(server.url, {}, tuning);
    for (let i = 0; i < 5; i++) {
      const caller = new AbortController();
      server.answer(() => caller.abort(new Error('gone')));
      await expect(client.findUser(userId, { ...bulk, signal: caller.signal })).rejects.toThrow('gone');
    }
    server.answer(json(200, user));
    await expect(client.findUser(userId, bulk)).resolves.toMatchObject(user);
  });

  it('opens on silence too, but not when the caller left the call no time', async () => {
    server.answer(silence);
    const { client } = make(server.url, { timeoutMs: 40 }, tuning);
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

  it('refuses an answer larger than it will hold, also when it was packed small', async () => {
    const large = JSON.stringify({ ...user, filler: 'x'.repeat(200_000) });
    const { client } = make(server.url, {}, { maxResponseBytes: 100_000 });
    server.answer(text(200, large));
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', reason: 'too_large' });
    server.answer((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large));
    });
    expect(await errorOf(client.findUser(userId, person))).toMatchObject({ kind: 'contract', reason: 'too_large' });
  });

  it('goes straight to upstream whatever proxy the environment names', async () => {
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

  it('counts every try by operation and outcome', async () => {
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
