import { OrdersWorld, type Placed } from '../../labs/orders/support/orders-world.js';
import { adminKeys } from '../../support/environment.js';

interface Found {
  readonly data: readonly { readonly kind: string; readonly id: string; readonly account_id: string | null }[];
  readonly searched: readonly string[];
}

let world: OrdersWorld;
let placed: Placed;

beforeAll(async () => {
  world = await OrdersWorld.open();
  placed = await world.place(await world.user('ann-01'));
  await world.walkList();
});

afterAll(() => world.close());

async function search(q: string, token: string = adminKeys.viewer): Promise<{ status: number; body: Found }> {
  const query = new URLSearchParams({ q });
  return (await world.service.send(`GET /admin/v1/search?${query.toString()}`, { token })) as unknown as {
    status: number;
    body: Found;
  };
}

describe('a search for an id', () => {
  it('finds an account by a part of its id, by its upstream user and by its name in logs', async () => {
    const account = { kind: 'account', id: 'ann-01', account_id: 'ann-01' };
    const detail = await world.service.send('GET /admin/v1/accounts/ann-01', { token: adminKeys.viewer });
    const { user_id, log_ref } = detail.body as unknown as { user_id: string; log_ref: string };
    for (const q of ['nn-0', user_id, log_ref, user_id.slice(0, 8), log_ref.slice(0, 9)]) {
      expect((await search(q)).body.data).toEqual([account]);
    }
  });

  it('finds an order and its transaction by the beginning of their ids, in either case, with their account', async () => {
    const order = { kind: 'order', id: placed.id, account_id: 'ann-01' };
    expect((await search(placed.id)).body.data).toContainEqual(order);
    expect((await search(placed.id.slice(0, 13).toUpperCase())).body.data).toContainEqual(order);
    const transaction = { kind: 'order_transaction', id: placed.transaction, account_id: 'ann-01' };
    expect((await search(placed.transaction.slice(0, 20))).body.data).toContainEqual(transaction);
  });

  it('finds an id as the console shortens it, and no other with the same beginning', async () => {
    const order = { kind: 'order', id: placed.id, account_id: 'ann-01' };
    const detail = await world.service.send('GET /admin/v1/accounts/ann-01', { token: adminKeys.viewer });
    const { user_id } = detail.body as unknown as { user_id: string };
    for (const dots of ['…', '...']) {
      expect((await search(`${placed.id.slice(0, 11)}${dots}${placed.id.slice(-5)}`)).body.data).toEqual([order]);
      expect((await search(`${placed.id.slice(0, 11)}${dots}zzzzz`)).body.data).toEqual([]);
      expect((await search(`${user_id.slice(0, 11)}${dots}${user_id.slice(-5)}`)).body.data).toEqual([
        { kind: 'account', id: 'ann-01', account_id: 'ann-01' },
      ]);
    }
  });

  it('needs eight characters of the beginning of other ids of an account', async () => {
    expect((await search('a_')).body.data.filter(({ kind }) => kind === 'account')).toEqual([]);
  });

  it('says where it looked when it finds nothing', async () => {
    const { status, body } = await search('no-such-id');
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], searched: ['account', 'message', 'order', 'order_transaction'] });
  });

  it('treats wildcards of SQL as text', async () => {
    for (const q of ['%%', '__', "'--", '\u{10ffff}\u{10ffff}']) {
      expect((await search(q)).body.data).toEqual([]);
    }
  });

  it('refuses what cannot be an id, and keys without the right to see accounts', async () => {
    for (const q of ['', 'a', 'two words', 'x'.repeat(201)]) expect((await search(q)).status).toBe(400);
    expect((await search('ann', adminKeys.monitor)).status).toBe(403);
  });
});
