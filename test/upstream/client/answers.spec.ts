import { UnmatchedResultsClient } from '../../../src/upstream/client/unmatched-results.client.js';
import { type ClientUnderTest, clientFor, errorOf } from './support/client.js';
import { type Answer, json, ScriptedServer, text } from './support/scripted-server.js';

const userId = '00000000-0000-4000-8000-000000000001';
const other = '00000000-0000-4000-8000-000000000002';
const person = { priority: 'interactive' } as const;
const user = { user_id: userId, client_user_id: 'cust-42' };
const missing = json(404, { detail: 'whatever it says' });
const foreign404 = text(404, '<html>nginx</html>', { 'content-type': 'text/html' });

describe('the interpretation of a response by the client', () => {
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

  const given = (answer: Answer) => {
    server.answer(answer);
    return underTest.client;
  };

  it('adopts the user of a conflict and reports the user limit as a refusal [users#conflict]', async () => {
    const conflict = { error_type: 'INVALID_REQUEST', error_message: 'm', user_id: other, created_on: 'd' };
    const create = (answer: Answer) => given(answer).createUser({ client_user_id: 'cust-42' }, person);
    await expect(create(json(200, user))).resolves.toMatchObject({ outcome: 'created', user });
    await expect(create(json(400, { detail: conflict }))).resolves.toEqual({ outcome: 'exists', user_id: other });
    const limit = await errorOf(create(json(400, { detail: { error_type: 'INVALID_REQUEST', error_message: 'm' } })));
    expect(limit).toMatchObject({ kind: 'rejected', status: 400, detail: { shape: 'typed' } });
  });

  it('distinguishes an unknown user from an address that is not upstream', async () => {
    await expect(given(missing).findUser(userId, person)).resolves.toBeNull();
    await expect(given(missing).resolveUser('cust-42', person)).resolves.toBeNull();
    expect(await errorOf(given(foreign404).findUser(userId, person))).toMatchObject({ kind: 'rejected', status: 404 });
    expect(await errorOf(given(foreign404).deleteUser(userId, person))).toMatchObject({ status: 404 });
  });

  it('counts a deletion of a missing object as done [users#delete]', async () => {
    await expect(given(json(200, { success: true })).deleteUser(userId, person)).resolves.toBe(true);
    await expect(given(missing).deleteUser(userId, person)).resolves.toBe(true);
    await expect(given(json(200, { success: false })).deleteUser(userId, person)).resolves.toBe(false);
    await expect(given(missing).deregisterProvider(userId, 'oura', person)).resolves.toBe(true);
    expect(await errorOf(given(json(200, {})).deleteUser(userId, person))).toMatchObject({ kind: 'contract' });
  });

  it('reads a list of unmatched results without results, of which upstream requires `total` alone', async () => {
    const list = (body: unknown) => {
      server.answer(json(200, body));
      return new UnmatchedResultsClient(underTest.transport).list({ limit: 50, cursor: null }, person);
    };
    await expect(list({ total: 0 })).resolves.toEqual({ data: [], nextCursor: null });
    expect(await errorOf(list({ total: 1 }))).toMatchObject({ kind: 'contract' });
  });

  it('never accepts a response about another order or transaction', async () => {
    const order = { id: other, user_id: userId };
    expect(await errorOf(given(json(200, order)).order(userId, person))).toMatchObject({ kind: 'contract' });
    const cancelled = json(200, { order, status: 'success', message: 'm' });
    expect(await errorOf(given(cancelled).cancelOrder(userId, person))).toMatchObject({ kind: 'contract' });
    const transaction = json(200, { id: other, status: 'active', orders: [] });
    expect(await errorOf(given(transaction).orderTransaction(userId, person))).toMatchObject({ kind: 'contract' });
    await expect(given(json(200, { ...order, id: userId })).order(userId, person)).resolves.toMatchObject({
      id: userId,
    });
  });

  it('never accepts a response about another user [linking-and-tokens#sign-in-token]', async () => {
    const token = json(200, { user_id: other, sign_in_token: 't' });
    expect(await errorOf(given(token).createSignInToken(userId, person))).toMatchObject({ kind: 'contract' });
    const stranger = json(200, { ...user, user_id: other });
    expect(await errorOf(given(stranger).findUser(userId, person))).toMatchObject({ kind: 'contract' });
    expect(await errorOf(given(json(200, user)).resolveUser('cust-43', person))).toMatchObject({ kind: 'contract' });
  });

  it('requires the tokens [linking-and-tokens#sign-in-token]', async () => {
    const signIn = await errorOf(given(json(200, { user_id: userId })).createSignInToken(userId, person));
    expect(signIn).toMatchObject({ kind: 'contract', reason: 'missing_field' });
    expect(signIn.message).toContain('sign_in_token');
    const link = given(json(200, { link_token: 't' })).createLinkToken({ user_id: userId }, person);
    expect((await errorOf(link)).message).toContain('link_web_url');
  });

  it('accepts a link token without a hosted page', async () => {
    const link = given(json(200, { link_token: 't', link_web_url: '' })).createLinkToken({ user_id: userId }, person);
    expect(await link).toEqual({ link_token: 't', link_web_url: '' });
  });

  it.each(['javascript:alert(1)', 'http://link.example/', 'data:text/html,x', 'app://link', '//link.example', 'link'])(
    'never accepts the hosted page %s, which is not https',
    async (address) => {
      const token = json(200, { link_token: 't', link_web_url: address });
      const error = await errorOf(given(token).createLinkToken({ user_id: userId }, person));
      expect(error).toMatchObject({ kind: 'contract' });
    },
  );

  it('reads a 404 of availability as no slots', async () => {
    const ask = (answer: Answer) => given(answer).availability({ lab: 'quest' }, 'body', person);
    await expect(ask(missing)).resolves.toEqual({ slots: [], timezone: null });
    expect(await errorOf(ask(foreign404))).toMatchObject({ kind: 'rejected' });
  });
});
