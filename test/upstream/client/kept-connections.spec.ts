import { stopTimers } from '../../support/stop-timers.js';
import { errorOf } from './support/client.js';
import { hangUp, json, text } from './support/scripted-server.js';
import { bulk, make, person, serveEachTest, server, user, userId } from './support/transports.js';

serveEachTest();

describe('a kept connection', () => {
  it('is used again after a response', async () => {
    server.answer(json(200, user), json(404, { detail: 'none' }), json(200, user));
    const { client } = make(server.url);
    await client.findUser(userId, bulk);
    await client.findUser(userId, bulk);
    await client.findUser(userId, bulk);
    expect(server.opened).toBe(1);
  });

  it('is not used again after a 5xx, because the address may lead to another host by now', async () => {
    server.answer(json(200, user), text(503, 'moved'), json(200, user));
    const { client } = make(server.url);
    await client.findUser(userId, bulk);
    await client.findUser(userId, bulk);
    expect([server.received.length, server.opened]).toEqual([3, 2]);
  });

  it('is not used again after a timeout of another call, nor by the call that tests an open circuit', async () => {
    const limits = { retry: { tries: 1, backoff: { baseMs: 1, capMs: 1, factor: 1, jitter: 0 } } };
    const circuit = { failures: 1, openMs: 1_000, maxOpenMs: 1_000 };
    const { client, clock } = make(server.url, {}, { ...limits, circuit });
    server.answer(json(200, user));
    await Promise.all([client.findUser(userId, bulk), client.findUser(userId, bulk)]);
    const before = server.opened;
    stopTimers();
    const asked = new Promise<void>((resolve) => server.answer(() => resolve(), json(200, user)));
    const silent = errorOf(client.findUser(userId, bulk));
    await asked;
    jest.advanceTimersByTime(60_000);
    expect(await silent).toMatchObject({ reason: 'timeout' });
    jest.useRealTimers();
    await server.closedByPeers();
    clock.advance(1_000);
    await client.findUser(userId, bulk);
    expect(server.opened).toBe(before + 1);
  });

  it.each([person, bulk])('that upstream closed meanwhile costs a repeatable call nothing (%j)', async (options) => {
    server.answer(json(200, user), hangUp, json(200, user));
    const { client, pauses } = make(
      server.url,
      {},
      { retry: { tries: 1, backoff: { baseMs: 1, capMs: 1, factor: 1, jitter: 0 } } },
    );
    await client.findUser(userId, options);
    await expect(client.findUser(userId, options)).resolves.toMatchObject(user);
    expect([pauses, server.received.length, server.opened]).toEqual([[], 3, 2]);
  });

  it('is replaced once a call: a second broken connection is an error', async () => {
    server.answer(json(200, user), hangUp);
    const { client } = make(
      server.url,
      {},
      { retry: { tries: 1, backoff: { baseMs: 1, capMs: 1, factor: 1, jitter: 0 } } },
    );
    await client.findUser(userId, bulk);
    expect(await errorOf(client.findUser(userId, bulk))).toMatchObject({ kind: 'unavailable', reason: 'network' });
    expect(server.received).toHaveLength(3);
  });

  it('carries no call that must not be repeated: an order is sent on a new one, once', async () => {
    server.answer(json(200, user), hangUp);
    const { client } = make(server.url);
    await client.findUser(userId, bulk);
    await errorOf(client.createOrder({ a: 1 }, 'key-1', bulk));
    expect([server.received.length, server.opened]).toEqual([2, 2]);
  });
});
