import { type ClientUnderTest, clientFor, errorOf, now } from './support/client.js';
import { json, ScriptedServer } from './support/scripted-server.js';

const userId = '00000000-0000-4000-8000-000000000001';
const user = { user_id: userId, client_user_id: 'cust-42' };
const person = { priority: 'interactive' } as const;
const bulk = { priority: 'bulk' } as const;

let server: ScriptedServer;
let underTest: ClientUnderTest;

beforeEach(async () => {
  server = await ScriptedServer.start();
  underTest = clientFor(server.url);
});
afterEach(async () => {
  underTest.transport.onApplicationShutdown();
  await server.close();
});

describe('a 429', () => {
  it('counts a date of Retry-After from the Date of the response, not from our clock', async () => {
    const date = new Date(now + 7_200_000).toUTCString();
    server.answer(json(429, {}, { 'retry-after': new Date(now + 7_209_000).toUTCString(), date }));
    const error = await errorOf(underTest.client.findUser(userId, bulk));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 9_000 });
  });

  it('holds back background calls as upstream asked, while others continue', async () => {
    server.answer(json(429, {}, { 'retry-after': '20' }), json(200, user));
    const { client, clock } = underTest;
    const one = { ...bulk, account: 1 };
    const other = { ...bulk, account: 2 };
    expect((await errorOf(client.findUser(userId, one))).concernsEverybody).toBe(false);
    clock.advance(5_000);
    expect(await errorOf(client.findUser(userId, one))).toMatchObject({ reason: 'paused', retryAfterMs: 15_000 });
    expect(server.received).toHaveLength(1);
    await expect(client.findUser(userId, other)).resolves.toMatchObject(user);
    await expect(client.findUser(userId, person)).resolves.toMatchObject(user);
    server.answer(json(429, {}, { 'retry-after': '20' }), json(200, []));
    expect((await errorOf(client.findUser(userId, other))).concernsEverybody).toBe(true);
    expect(await errorOf(client.findUser(userId, bulk))).toMatchObject({ reason: 'paused', retryAfterMs: 20_000 });
    expect(server.received).toHaveLength(4);
    await errorOf(client.listUsers({ offset: 0, limit: 1 }, bulk));
    expect(server.received).toHaveLength(5);
  });
});
