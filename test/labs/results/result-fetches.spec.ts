import fc from 'fast-check';
import { OrdersApply } from '../../../src/labs/orders/orders-apply.service.js';
import { ResultsService } from '../../../src/labs/results/results.service.js';
import { StoreResult } from '../../../src/labs/results/store-result.js';
import { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { OrdersWorld } from '../orders/support/orders-world.js';

const list = 'GET /v3/order/:order_id/result';
const hour = 3_600;

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

const versions = (): Promise<unknown[]> =>
  world.rows('SELECT scope, version, status, source FROM lab_results ORDER BY scope, version');
const fetches = (): Promise<unknown[]> =>
  world.rows(
    `SELECT scope, attempts, error_code, CASE WHEN due_at IS NULL THEN 1 ELSE 0 END AS given_up FROM due_reads
     WHERE kind = 'result' ORDER BY scope`,
  );

describe('results that an order announces', () => {
  it('are fetched without a request, including those of the completed transaction', async () => {
    await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    expect(await versions()).toEqual([
      { scope: 'order', version: 1, status: 'final', source: 'fetch' },
      { scope: 'transaction', version: 1, status: 'final', source: 'fetch' },
    ]);
    expect(await fetches()).toEqual([]);
  });

  it('are fetched again when corrected', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    await world.advance(hour);
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    await world.walkList();
    await world.fetch();
    expect(await versions()).toMatchObject([
      { scope: 'order', version: 1 },
      { scope: 'order', version: 2 },
      { scope: 'transaction', version: 1 },
      { scope: 'transaction', version: 2 },
    ]);
  });

  it('are not fetched or missed for a person who cannot have an account', async () => {
    const { users } = await world.control.createUsers({ client_user_id: 'a\u0007b' });
    await world.place(users[0]?.user_id ?? '');
    await world.walkList();
    expect(await world.rows('SELECT account_id FROM orders')).toEqual([{ account_id: null }]);
    await world.fetch();
    expect(await fetches()).toEqual([]);
    expect(await world.troubled('given_up')).toEqual([]);
  });

  it('are fetched once their order gets an account', async () => {
    const { id, transaction } = await world.place(await world.user());
    const intake = world.service.get(OrdersApply);
    const order = await world.service.get(UpstreamClient).order(id, { priority: 'interactive' });
    for (const account of [null, 1]) {
      const reported = { account, observedAt: world.service.clock.now(), source: 'list' } as const;
      await world.service.store.lane.run((tx) => intake.applyOrder(tx, order, reported));
      if (account === null)
        await world.service.store.lane.run((tx) => tx.execute(`DELETE FROM due_reads WHERE kind = 'result'`));
    }
    expect(await world.rows(`SELECT scope, subject_id FROM due_reads WHERE kind = 'result' ORDER BY scope`)).toEqual([
      { scope: 'order', subject_id: id },
      { scope: 'transaction', subject_id: transaction },
    ]);
  });

  it('are fetched once although they were announced while our clock was ahead', async () => {
    const order = await world.place(await world.user(), 'partial_results');
    world.service.clock.step(6 * hour * 1_000);
    await world.walkList();
    world.service.clock.step(-6 * hour * 1_000);
    const reading = world.service.get(ResultsService);
    await reading.fetch({ scope: 'order', id: order.id }, { priority: 'bulk' });
    expect(await fetches()).toEqual([]);
  });

  it.each(['partial_results', 'redraw_available'])(
    'are partial for an order with %s [orders#partial-results]',
    async (state) => {
      await world.place(await world.user(), state);
      await world.walkList();
      await world.fetch();
      expect(await versions()).toEqual([{ scope: 'order', version: 1, status: 'partial', source: 'fetch' }]);
    },
  );

  it('are not fetched twice without a change', async () => {
    await world.place(await world.user());
    await world.walkList();
    await world.fetch();
    await world.advance(hour);
    await world.walkList();
    await world.fetch();
    expect(await world.service.callsTo(list)).toBe(1);
  });

  it('are not fetched again after a read', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    await world.result(order);
    expect(await fetches()).toMatchObject([{ scope: 'transaction' }]);
  });

  it('are requested until they are there, without another event [results#before-there-are-results]', async () => {
    const order = await world.place(await world.user());
    await world.control.fault({ kind: 'status', status: 404, path: `/v3/order/${order.id}/result` });
    await world.walkList();
    await world.fetch();
    expect(await fetches()).toEqual([{ scope: 'order', attempts: 1, error_code: 'result_not_ready', given_up: 0 }]);
    for (const hours of [1, 24, 24, 240]) {
      await world.advance(hours * hour);
      await world.fetch();
    }
    expect(await fetches()).toMatchObject([{ attempts: 5, given_up: 0 }]);
    await world.control.clearFaults();
    await world.advance(7 * hour);
    await world.fetch();
    expect(await fetches()).toEqual([]);
    expect(await versions()).toContainEqual(expect.objectContaining({ scope: 'order', version: 1 }));
  });

  it('are requested until they are final if the order is completed and its result is partial', async () => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { metadata: { status: 'partial' } });
    await world.walkList();
    await world.fetch();
    const waits = { attempts: 1, error_code: 'result_not_ready', given_up: 0 };
    expect(await fetches()).toEqual([
      { scope: 'order', ...waits },
      { scope: 'transaction', ...waits },
    ]);
    expect(await versions()).toMatchObject([{ status: 'partial' }, { status: 'partial' }]);
    await world.result(order);
    expect(await fetches()).toHaveLength(2);
    await world.control.setResult(order.id, { metadata: { status: 'amended' } });
    await world.advance(hour);
    await world.fetch();
    expect(await fetches()).toEqual([]);
    expect(await versions()).toContainEqual({ scope: 'order', version: 2, status: 'final', source: 'fetch' });
  });

  it('are given up after the last attempt of 30 days, on a list, until an event announces them again', async () => {
    const order = await world.place(await world.user());
    await world.control.fault({ kind: 'status', status: 404, path: `/v3/order/${order.id}/result` });
    await world.walkList();
    await world.fetch();
    await world.service.store.lane.run((tx) => tx.execute(`UPDATE due_reads SET attempts = 129 WHERE kind = 'result'`));
    expect(await world.troubled('given_up')).toEqual([]);
    await world.advance(7 * hour);
    await world.fetch();
    expect(await fetches()).toEqual([{ scope: 'order', attempts: 130, error_code: 'result_not_ready', given_up: 1 }]);
    expect(await world.troubled('given_up')).toEqual([order.id]);
    await world.control.clearFaults();
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    await world.walkList();
    await world.fetch();
    expect(await world.troubled('given_up')).toEqual([]);
    expect(await versions()).toContainEqual(expect.objectContaining({ scope: 'order', version: 1 }));
  });
});

describe('a fetch', () => {
  it('is deferred while upstream is away, then done', async () => {
    await world.place(await world.user());
    await world.walkList();
    await world.fails(503);
    await world.fetch();
    expect(await fetches()).toMatchObject([
      { attempts: 0, error_code: 'upstream_unavailable' },
      { attempts: 0, error_code: 'upstream_unavailable' },
    ]);
    await world.control.clearFaults();
    await world.advance(hour);
    await world.fetch();
    expect(await versions()).toHaveLength(2);
    expect(await fetches()).toEqual([]);
  });

  it('that is refused is given up until the next event', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    expect(await world.troubled('given_up')).toEqual([]);
    await world.fails(403);
    await world.fetch();
    expect(await world.troubled('given_up')).toEqual([order.id]);
    expect(await fetches()).toMatchObject([
      { error_code: 'upstream_rejected', given_up: 1 },
      { error_code: 'upstream_rejected', given_up: 1 },
    ]);
    await world.control.clearFaults();
    await world.advance(hour);
    await world.control.setOrderStatus(order.id, 'corrected', { notify: false });
    await world.walkList();
    await world.fetch();
    expect(await versions()).toHaveLength(2);
  });

  it('of a result of another account is given up, and nothing is stored', async () => {
    const order = await world.place(await world.user());
    await world.control.setResult(order.id, { fields: { user_id: order.id } });
    await world.walkList();
    await world.fetch();
    expect(await versions()).toEqual([]);
    expect(await fetches()).toMatchObject([{ error_code: 'upstream_contract' }, { error_code: 'upstream_contract' }]);
  });

  it('of a process that died is taken over by another once its lease is over', async () => {
    await world.place(await world.user());
    await world.walkList();
    const until = world.service.clock.now() + 120_000;
    await world.service.store.lane.run((tx) =>
      tx.execute(`UPDATE due_reads SET lease_owner = 'dead', lease_until = ?, attempts = 1 WHERE kind = 'result'`, [
        until,
      ]),
    );
    await world.fetch();
    expect(await versions()).toEqual([]);
    await world.advance(121);
    const other = await world.service.another();
    await world.fetch(other);
    expect(await versions()).toHaveLength(2);
    expect(await fetches()).toEqual([]);
  });

  it('is done by one process at a time', async () => {
    await world.place(await world.user());
    await world.walkList();
    const other = await world.service.another();
    await Promise.all([world.fetch(), world.fetch(other)]);
    expect(await world.service.callsTo(list)).toBe(1);
  });

  it('is due again if a newer event arrived during it', async () => {
    const order = await world.place(await world.user());
    await world.result(order);
    const store = world.service.get(StoreResult);
    const observedAt = world.service.clock.now();
    const subject = { scope: 'order', id: order.id } as const;
    await world.service.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO due_reads (kind, scope, subject_id, requested_at, due_at, attempts)
         VALUES ('result', 'order', ?, ?, ?, 0)`,
        [order.id, observedAt + 1, observedAt],
      ),
    );
    const look = { subject, form: 'json', source: 'fetch', checksum: 'x', bytes: 1 } as const;
    await world.service.store.lane.run((tx) => store.apply(tx, { ...look, observedAt }));
    const waiting = (): Promise<unknown[]> =>
      world.rows(`SELECT scope FROM due_reads WHERE kind = 'result' AND scope = 'order'`);
    expect(await waiting()).toHaveLength(1);
    await world.service.store.lane.run((tx) => store.apply(tx, { ...look, observedAt: observedAt + 1 }));
    expect(await waiting()).toEqual([]);
  });
});

describe('reads of a result', () => {
  it('end with the newest one, in any order and number', async () => {
    const order = await world.place(await world.user());
    await world.walkList();
    const store = world.service.get(StoreResult);
    const looks = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 8 });
    const shuffledLooks = looks.chain((contents) =>
      fc.shuffledSubarray(
        contents.map((content, at) => ({ content, at })),
        {
          minLength: contents.length,
          maxLength: contents.length,
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(shuffledLooks, async (shuffled) => {
        await world.service.store.lane.run((tx) => tx.execute('DELETE FROM lab_results'));
        const applied = shuffled.map(({ content, at }) =>
          world.service.store.lane.run((tx) =>
            store.apply(tx, {
              subject: { scope: 'order', id: order.id },
              form: 'json',
              source: 'read',
              observedAt: 1_000 + at,
              checksum: String(content),
              bytes: 1,
              content: { status: 'final', interpretation: null, findings: [], content: '{}' },
            }),
          ),
        );
        await Promise.all(applied);
        const rows = await world.rows('SELECT version, checksum, last_confirmed_at FROM lab_results ORDER BY version');
        const last = shuffled.reduce((best, look) => (look.at > best.at ? look : best));
        expect(rows.map((row) => row['version'])).toEqual(rows.map((_, index) => index + 1));
        expect(rows.at(-1)).toMatchObject({ checksum: String(last.content), last_confirmed_at: 1_000 + last.at });
      }),
      { numRuns: 40 },
    );
  });
});
