import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { orderBody, place } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';
import { filesWith, tablesWith } from './support/filling.js';

const DAY_S = 86_400;

type Line = Readonly<Record<string, unknown>>;

describe('lines of the log', () => {
  let app: TestApp;
  let account: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account = newAccountId();
  });

  afterEach(() => app.close());

  const lines = (): Line[] => app.logs.map((line) => JSON.parse(line) as Line);
  const refs = (): Set<unknown> => new Set(lines().flatMap(({ account_ref }) => account_ref ?? []));
  const read = async (path: string): Promise<void> => expect((await app.admin('GET', path)).status).toBe(200);

  /** Of which every kind of thing is stored and looked at by an operator, so that the access log has its ids. */
  async function live(): Promise<void> {
    await app.connect(account, 'oura', { days: 2, per_day: 20 });
    await app.advance(60, 3);
    await app.admin('POST', `/accounts/${account}/sync`, { days: 1 });
    const { body: order } = await place(app, newId(), {
      ...(await orderBody(app.sandbox.control)),
      account_id: account,
    });
    await app.admin('POST', `/accounts/${account}/block`);
    await app.admin('POST', `/accounts/${account}/unblock`);
    await read(`/accounts/${account}/export`);
    await app.settle();
    await read(`/orders/${order.order_id}`);
    const { body: messages } = await app.admin<{ data: { message_id: string }[] }>(
      'GET',
      `/messages?account_id=${account}`,
    );
    for (const { message_id } of messages.data) await read(`/messages/${message_id}`);
    expect(messages.data.length).toBeGreaterThan(0);
  }

  it('lead to the account while it exists', async () => {
    await live();
    expect([...refs()]).toEqual([expect.stringMatching(/^a_[0-9a-f]{16}$/)]);
    const [ref] = refs();
    const { body: found } = await app.admin('GET', `/accounts?q=${String(ref)}`);
    expect(found.data).toMatchObject([{ account_id: account, log_ref: ref }]);
    expect((await app.admin('GET', `/accounts/${account}`)).body.log_ref).toBe(ref);
    const events = new Set(lines().flatMap(({ event, account_ref }) => (account_ref === ref ? [event] : [])));
    const expected = [
      'account.linked',
      'token.issued',
      'link.connected',
      'sync.task_done',
      'account.blocked',
      'export.ended',
    ];
    expect([...events]).toEqual(expect.arrayContaining(expected));
  });

  it('lead to no one after an erasure, not even with the access log and the receipt', async () => {
    await live();
    const { body: receipt } = await app.admin('DELETE', `/accounts/${account}`);
    await app.settle();
    await app.advance(9 * DAY_S, 3);
    const { body: ended } = await app.admin('GET', `/erasures/${String(receipt.erasure_id)}`);
    expect(ended.state).toBe('done');
    const named = lines().filter(({ account_ref }) => account_ref !== undefined);
    expect(named.length).toBeGreaterThan(5);
    for (const ref of refs()) expect(await tablesWith(app.store, String(ref))).toEqual([]);
    expect(filesWith(app.database, [...refs()].map(String))).toEqual([]);
    // Nor does any id beside it: a line has either the account or what the access log may name.
    const ids = new Set(
      named.flatMap((line) => Object.values(line).filter((value) => /^[\w-]{20,64}$/.test(String(value)))),
    );
    for (const id of ids) expect([id, await tablesWith(app.store, String(id))]).toEqual([id, []]);
    const erasure = lines().filter(({ erasure_id }) => erasure_id !== undefined);
    expect(erasure.length).toBeGreaterThan(1);
    for (const line of erasure) expect(line).not.toHaveProperty('account_ref');
  });
});
