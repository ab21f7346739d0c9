import { errorOf } from './support/client.js';
import { json, silence, text } from './support/scripted-server.js';
import { bulk, make, person, serveEachTest, server, user, userId } from './support/transports.js';

serveEachTest();

describe('time', () => {
  it('ends an attempt without a response as unavailable', async () => {
    server.answer(silence);
    const error = await errorOf(make(server.url, { timeoutMs: 500 }).client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
  });

  it('ends an attempt whose body stops halfway', async () => {
    server.answer((response) => void response.writeHead(200, { 'content-length': 100 }).write('{"user_id"'));
    const error = await errorOf(make(server.url, { timeoutMs: 500 }).client.findUser(userId, person));
    expect(error).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
  });

  it('ends a call at its deadline although each attempt would have more time', async () => {
    server.answer(silence);
    const call = make(server.url).client.findUser(userId, { priority: 'bulk', deadlineMs: 30 });
    expect(await errorOf(call)).toMatchObject({ kind: 'unavailable', reason: 'deadline' });
  });

  it('counts the wait for a slot towards the deadline', async () => {
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

  it('ends with the reason of the caller, during a call, in a pause or before the start', async () => {
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
