import { newAccountId, TestPulsekeep } from '../support/test-pulsekeep.js';

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
  let test: TestPulsekeep;
  let account: string;
  let user: string;

  beforeEach(async () => {
    test = await TestPulsekeep.create();
    account = newAccountId();
    user = await test.connect(account, 'oura', { days: 2, per_day: 4 });
    await test.advance(900, 5);
  });

  afterEach(() => test.close());

  const erase = (id = account) => test.admin<Receipt>('DELETE', `/accounts/${id}`);
  const receipt = async (id: string): Promise<Receipt> => (await test.admin<Receipt>('GET', `/erasures/${id}`)).body;
  const upstreamUsers = async (): Promise<string[]> =>
    (await test.sandbox.control.truthUsers()).users.map(({ user_id }) => user_id);

  /** An order with a result, and the message that told of it last. */
  const ordered = async (): Promise<string> => {
    const { order } = await test.sandbox.control.createOrder({ user_id: user });
    await test.sandbox.control.walkOrder(String(order['id']), {});
    await test.settle();
    const result = await test.admin('GET', `/orders/${String(order['id'])}/result`, undefined, 'reader');
    expect(result.status).toBe(200);
    const { messages } = await test.sandbox.control.messages({ user_id: user });
    return String(messages.at(-1)?.id);
  };

  it('removes all that was stored and the user upstream, leaves a receipt, and looks again later', async () => {
    const last = await ordered();
    const asked = await erase();
    expect(asked).toMatchObject({ status: 202, body: { state: 'requested', deleted: {} } });
    const again = await erase();
    expect([again.status, again.body.erasure_id]).toEqual([202, asked.body.erasure_id]);
    expect((await test.app(account, 'POST', '/me/sign-in-token', {})).status).toBe(403);
    await test.settle();
    expect(await upstreamUsers()).not.toContain(user);
    expect((await test.admin('GET', `/accounts/${account}`)).status).toBe(404);
    expect((await erase()).status).toBe(404);
    const waiting = await receipt(asked.body.erasure_id);
    expect(waiting).toMatchObject({ state: 'waiting', error_code: null, verified_at: null });
    expect(waiting.deleted).toMatchObject({ accounts: 1, connections: 1, samples: expect.any(Number) });
    expect(waiting.deleted).toMatchObject({ orders: 1, lab_results: 2, message_bodies: expect.any(Number) });
    for (const time of [waiting.deleted_at, waiting.upstream_at, waiting.scrubbed_at]) expect(time).not.toBeNull();
    await test.sandbox.control.replay({ message_id: last });
    await test.settle();
    expect(await test.admin('GET', `/messages/${last}`)).toMatchObject({ body: { reason: 'account_erased' } });
    expect((await receipt(asked.body.erasure_id)).turned_away).toBe(1);
    await test.advance(8 * 86_400 + 3_600);
    const done = await receipt(asked.body.erasure_id);
    expect(done).toMatchObject({ state: 'done', error_code: null, verified_at: expect.any(String) });
    const list = await test.admin<{ data: Receipt[] }>('GET', '/erasures');
    expect(list.body.data.map(({ erasure_id }) => erasure_id)).toEqual([asked.body.erasure_id]);
  });
});
