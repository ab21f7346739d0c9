import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Receipt {
  erasure_id: string;
  account_ref: number;
  state: string;
  deleted_at: string | null;
  upstream_at: string | null;
  scrubbed_at: string | null;
  verified_at: string | null;
  error_code: string | null;
  deleted: Record<string, number>;
  turned_away: number;
}

describe('erasing a person', () => {
  let app: TestApp;
  let account: string;
  let user: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account = newAccountId();
    user = await app.connect(account, 'oura', { days: 2, per_day: 4 });
    await app.advance(900, 5);
  });

  afterEach(() => app.close());

  const erase = (id = account) => app.admin<Receipt>('DELETE', `/accounts/${id}`);
  const receipt = async (id: string): Promise<Receipt> => (await app.admin<Receipt>('GET', `/erasures/${id}`)).body;
  const upstreamUsers = async (): Promise<string[]> =>
    (await app.sandbox.control.truthUsers()).users.map(({ user_id }) => user_id);

  /** An order with a result, and the message that told of it last. */
  const ordered = async (): Promise<string> => {
    const { order } = await app.sandbox.control.createOrder({ user_id: user });
    await app.sandbox.control.walkOrder(String(order['id']), {});
    await app.settle();
    const result = await app.admin('GET', `/orders/${String(order['id'])}/result`, undefined, 'reader');
    expect(result.status).toBe(200);
    const { messages } = await app.sandbox.control.messages({ user_id: user });
    return String(messages.at(-1)?.id);
  };

  it('removes all stored data and the upstream user, leaves a receipt, and checks again later', async () => {
    const last = await ordered();
    const asked = await erase();
    expect(asked).toMatchObject({ status: 202, body: { state: 'requested', deleted: {} } });
    const again = await erase();
    expect([again.status, again.body.erasure_id]).toEqual([202, asked.body.erasure_id]);
    expect((await app.as(account, 'POST', '/me/sign-in-token', {})).status).toBe(409);
    await app.settle();
    expect(await upstreamUsers()).not.toContain(user);
    expect((await app.admin('GET', `/accounts/${account}`)).status).toBe(404);
    expect((await erase()).status).toBe(404);
    const waiting = await receipt(asked.body.erasure_id);
    expect(waiting).toMatchObject({ state: 'waiting', error_code: null, verified_at: null });
    expect(waiting.deleted).toMatchObject({ accounts: 1, connections: 1, samples: expect.any(Number) });
    expect(waiting.deleted).toMatchObject({ orders: 1, lab_results: 2, message_bodies: expect.any(Number) });
    for (const time of [waiting.deleted_at, waiting.upstream_at, waiting.scrubbed_at]) expect(time).not.toBeNull();
    await app.sandbox.control.replay({ message_id: last });
    await app.settle();
    expect(await app.admin('GET', `/messages/${last}`)).toMatchObject({ body: { reason: 'account_erased' } });
    expect((await receipt(asked.body.erasure_id)).turned_away).toBe(1);
    await app.advance(8 * 86_400 + 3_600);
    const done = await receipt(asked.body.erasure_id);
    expect(done).toMatchObject({ state: 'done', error_code: null, verified_at: expect.any(String) });
    const list = await app.admin<{ data: Receipt[] }>('GET', '/erasures');
    expect(list.body.data.map(({ erasure_id }) => erasure_id)).toEqual([asked.body.erasure_id]);
  });

  it('withstands a valid token until an operator opens the id for a new person', async () => {
    const { erasure_id } = (await erase()).body;
    await app.settle();
    const token = await app.appToken(account);
    const signIn = () => app.send<{ user_id: string }>('POST /v1/me/sign-in-token', { token, body: {} });
    expect(await signIn()).toMatchObject({ status: 409, body: { code: 'account_erased' } });
    await app.settle();
    expect(await upstreamUsers()).toEqual([]);
    expect((await receipt(erasure_id)).turned_away).toBe(1);
    expect((await app.admin('GET', `/erasure-fences/${account}`)).body).toMatchObject({ erasure_id });
    await app.admin('DELETE', `/erasures/${erasure_id}/fence`);
    const anew = await signIn();
    expect(anew.status).toBe(201);
    expect(await upstreamUsers()).toEqual([anew.body.user_id]);
    expect(anew.body.user_id).not.toBe(user);
    const { body } = await app.as<{ sources: unknown[] }>(account, 'GET', '/me');
    expect(body.sources).toEqual([]);
    const records = await app.admin<{ data: unknown[] }>(
      'GET',
      `/accounts/${account}/records/sleep`,
      undefined,
      'reader',
    );
    expect(records.body.data).toEqual([]);
  });
});
