import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import type { CriticalFinding } from '../../../src/labs/orders/critical-findings.js';
import { CriticalResults } from '../../../src/labs/orders/critical-results.service.js';
import { OrdersApply } from '../../../src/labs/orders/orders-apply.service.js';
import { StoreResult } from '../../../src/labs/results/store-result.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { adminKeys } from '../../support/environment.js';
import { OrdersWorld, type Placed } from '../orders/support/orders-world.js';

const { viewer, reader } = adminKeys;

let world: OrdersWorld;

beforeEach(async () => {
  world = await OrdersWorld.open();
});

afterEach(() => world.close());

async function hearCritical(order_id: string, over: object = {}): Promise<void> {
  const account = (await world.service.get(AccountsService).find('ann'))?.id ?? null;
  const at = new Date(world.service.clock.now()).toISOString();
  const data = {
    order_id,
    sample_id: 'S1',
    status: 'final',
    interpretation: 'critical',
    created_at: at,
    updated_at: at,
    ...over,
  };
  const observed = { account, observedAt: world.service.clock.now(), source: 'message' } as const;
  await world.service.store.lane.run((tx) => world.service.get(OrdersApply).applyCritical(tx, data, observed));
}

interface Order {
  order_id: string;
  critical: boolean;
  critical_results: unknown[] | null;
  orders: Order[];
  data: Order[];
}

const read = async (path: string, token: string): Promise<Order> =>
  (await world.send(`GET /admin/v1/${path}`, token)).body as unknown as Order;
const listed = async (query: string): Promise<string[]> =>
  (await read(`orders?${query}`, viewer)).data.map((order) => order.order_id);

async function two(): Promise<[Placed, Placed]> {
  const user = await world.user();
  const orders: [Placed, Placed] = [await world.place(user), await world.place(user)];
  await world.walkList();
  return orders;
}

describe('a critical result', () => {
  it('is a flag for viewers and detailed for readers, on the order and on the transaction', async () => {
    const [order, other] = await two();
    await hearCritical(order.id);
    const told = [
      {
        order_id: order.id,
        sample_id: 'S1',
        status: 'final',
        interpretation: 'critical',
        created_at: '2026-11-20T12:00:00.000Z',
      },
    ];
    expect(await read(`orders/${order.id}`, viewer)).toMatchObject({ critical: true, critical_results: null });
    expect(await read(`orders/${order.id}`, reader)).toMatchObject({ critical: true, critical_results: told });
    const path = `order-transactions/${order.transaction}`;
    expect(await read(path, viewer)).toMatchObject({
      critical: true,
      critical_results: null,
      orders: [{ critical: true }],
    });
    expect(await read(path, reader)).toMatchObject({ critical: true, critical_results: told });
    expect(await read(`orders/${other.id}`, reader)).toMatchObject({ critical: false, critical_results: [] });
  });

  it('is a filter of orders', async () => {
    const [order, other] = await two();
    await hearCritical(order.id);
    await hearCritical(order.id, { sample_id: 'S2' });
    expect(await listed('critical=true')).toEqual([order.id]);
    expect(await listed('critical=false')).toEqual([other.id]);
    expect((await listed('')).sort()).toEqual([order.id, other.id].sort());
    expect((await world.send('GET /admin/v1/orders?critical=yes', viewer)).status).toBe(400);
  });

  it('is linked to its transaction and account when the order becomes known after it', async () => {
    const user = await world.user();
    const order = await world.place(user);
    await hearCritical(order.id);
    expect(await read(`orders/${order.id}`, viewer)).toMatchObject({ critical: true, order_transaction_id: null });
    await world.walkList();
    const transaction = await read(`order-transactions/${order.transaction}`, reader);
    expect(transaction).toMatchObject({ critical: true, critical_results: [{ order_id: order.id }] });
    expect(
      await world.rows('SELECT a.account_id FROM critical_results c JOIN accounts a ON a.id = c.account_id'),
    ).toEqual([{ account_id: 'ann' }]);
  });

  describe('that upstream revokes', () => {
    let order: Placed;
    const interpret = (interpretation: string) =>
      world.control.setResult(order.id, { metadata: { interpretation } }).then(() => world.advance(60));
    const seen = async (): Promise<unknown[]> => [
      (await read(`orders/${order.id}`, viewer)).critical,
      (await read(`order-transactions/${order.transaction}`, viewer)).critical,
      (await listed('critical=true')).length,
      (await listed('told=false')).length,
      await alarms(),
    ];
    const alarms = async (): Promise<string[]> => {
      await world.service.run(AlarmsWorker);
      const { body } = await world.send('GET /admin/v1/alarms', viewer);
      const { data } = body as unknown as { data: { code: string }[] };
      return data.map(({ code }) => code).filter((code) => code === 'critical_results');
    };
    const critical = [true, true, 1, 1, ['critical_results']];
    const settled = [false, false, 0, 0, []];

    beforeEach(async () => {
      [order] = await two();
      await interpret('critical');
      await hearCritical(order.id);
      await world.fetch();
      expect(await seen()).toEqual(critical);
    });

    it('by a correction is no longer critical, and keeps its time', async () => {
      await interpret('abnormal');
      await world.result(order);
      expect(await seen()).toEqual(settled);
      const [row] = (await read(`orders/${order.id}`, reader)).critical_results ?? [];
      expect(row).toMatchObject({ sample_id: 'S1', settled_at: expect.any(String) });
    });

    it('is no longer critical although it was reported while our clock was ahead', async () => {
      world.service.clock.step(6 * 3_600_000);
      await hearCritical(order.id);
      world.service.clock.step(-6 * 3_600_000);
      await interpret('abnormal');
      await world.result(order);
      expect(await seen()).toEqual(settled);
    });

    it('by a withdrawal is no longer critical, until it is back', async () => {
      await world.control.fault({ kind: 'status', status: 404, path: '/v3/' });
      await world.result(order);
      await world.advance(60);
      await world.fetch();
      expect(await seen()).toEqual(settled);
      await world.control.clearFaults();
      await world.advance(60);
      await world.result(order);
      expect(await seen()).toEqual(critical);
    });

    it('stays settled when the old event is delivered again, but not after a new one', async () => {
      const first = new Date(world.service.clock.now()).toISOString();
      await hearCritical(order.id, { created_at: first, updated_at: first });
      await world.advance(60);
      await interpret('normal');
      await world.result(order);
      await hearCritical(order.id, { created_at: first, updated_at: first });
      expect(await seen()).toEqual(settled);
      await world.advance(60);
      await hearCritical(order.id);
      expect(await seen()).toEqual(critical);
    });

    it.each(['an event', 'a result'])(
      'needs a new record that the patient was informed if %s brings it again',
      async (by) => {
        const tell = (): Promise<unknown> =>
          world.send(`POST /admin/v1/orders/${order.id}/told`, adminKeys.operator, { how: 'phone' });
        await tell();
        expect(await seen()).toEqual([true, true, 1, 0, []]);
        await interpret('normal');
        await world.result(order);
        expect(await seen()).toEqual(settled);
        await interpret('critical');
        if (by === 'an event') await hearCritical(order.id);
        else await world.result(order);
        expect(await seen()).toEqual(critical);
        await tell();
        expect(await seen()).toEqual([true, true, 1, 0, []]);
      },
    );

    it('is not revoked by a result that was never critical', async () => {
      const [other] = await two();
      await world.result(other);
      await hearCritical(other.id, { sample_id: 'S9' });
      await world.advance(60);
      await world.result(other);
      expect((await read(`orders/${other.id}`, viewer)).critical).toBe(true);
    });
  });

  describe('of which the patient was informed', () => {
    let order: Placed;
    const show = async (result: string, interpretation: string | null, of: string | null = null): Promise<void> => {
      const results = [{ name: 'Potassium', result, interpretation }];
      await world.control.setResult(order.id, { metadata: { interpretation: of }, results });
      await world.advance(60);
      await world.result(order);
    };
    const tell = async (): Promise<void> => {
      expect(await listed('told=false')).toEqual([order.id]);
      await world.send(`POST /admin/v1/orders/${order.id}/told`, adminKeys.operator, { how: 'phone' });
      expect(await listed('told=false')).toEqual([]);
    };
    /** The order as upstream has it, with this word, at a later time. */
    const say = async (interpretation: string | null): Promise<void> => {
      await world.advance(60);
      const wire = await world.service.get(UpstreamClient).order(order.id, { priority: 'interactive' });
      const at = world.service.clock.now();
      const said = { ...wire, interpretation, updated_at: new Date(at).toISOString() };
      const reported = { account: 1, observedAt: at, source: 'message' } as const;
      await world.service.store.lane.run((tx) => world.service.get(OrdersApply).applyOrder(tx, said, reported));
    };

    beforeEach(async () => {
      [order] = await two();
    });

    it.each([
      ['only the result as a whole says so of the later value', 'critical', 'abnormal', 'critical'],
      ['only the order says so of the later value', 'critical', 'abnormal', null],
      ['only the order ever said so', 'abnormal', 'abnormal', null],
      ['only the order ever said so, and no marker has a word', null, null, null],
    ])('is on the list again after a correction, although %s', async (_, before, after, whole) => {
      await show('7.4', before);
      await say('critical');
      await tell();
      await show('7.9', after, whole);
      if (whole === null) expect(await listed('told=false')).toEqual([order.id]);
      await say('critical');
      expect(await listed('told=false')).toEqual([order.id]);
      await tell();
    });

    it('is on the list again if only its event said so, and the result changes', async () => {
      await show('7.4', 'abnormal');
      await hearCritical(order.id, { sample_id: null });
      await tell();
      await show('7.4', 'abnormal', 'abnormal');
      expect(await listed('told=false')).toEqual([]);
      await show('7.9', 'abnormal');
      await tell();
    });

    it.each([['normal'], [null]])('is settled by a correction once the order says %j', async (word) => {
      await show('7.4', 'critical');
      await say('critical');
      await show('4.1', 'normal');
      expect(await listed('critical=true')).toEqual([order.id]);
      expect(await world.rows(`SELECT subject_id AS order_id FROM due_reads WHERE kind = 'order'`)).toEqual([
        { order_id: order.id },
      ]);
      await say(word);
      expect(await listed('critical=true')).toEqual([]);
    });

    it('stays critical if the order leaves its word out and nothing took it back', async () => {
      await say('critical');
      await say(null);
      expect(await listed('critical=true')).toEqual([order.id]);
    });
  });

  describe('that only a marker shows', () => {
    let order: Placed;
    const marker = (name: string, result: string, interpretation: string): object => ({ name, result, interpretation });
    const show = async (...results: object[]): Promise<void> => {
      await world.control.setResult(order.id, { metadata: { interpretation: null }, results });
      await world.advance(60);
      await world.result(order);
    };
    const tell = async (): Promise<number> =>
      (await world.send(`POST /admin/v1/orders/${order.id}/told`, adminKeys.operator, { how: 'phone' })).status;

    beforeEach(async () => {
      [order] = await two();
      await show(marker('Sodium', '140', 'normal'), marker('Potassium', '7.4', 'critical'));
    });

    it('is on the list until the patient was informed', async () => {
      expect(await listed('told=false')).toEqual([order.id]);
      const { critical_results } = await read(`orders/${order.id}`, reader);
      expect(critical_results).toMatchObject([
        { said_by: 'marker', marker: 'Potassium', result_version: 1, told: null },
      ]);
      expect(await tell()).toBe(200);
      expect(await listed('told=false')).toEqual([]);
      await show(marker('Sodium', '141', 'normal'), marker('Potassium', '7.4', 'critical'));
      expect(await listed('told=false')).toEqual([]);
    });

    it.each([
      ['the same marker', [marker('Potassium', '7.9', 'critical')]],
      ['another one', [marker('Potassium', '7.4', 'critical'), marker('Calcium', '3.9', 'critical')]],
    ])('is on the list again after a later critical value of %s, and the first record stays', async (_, values) => {
      await tell();
      await show(...values);
      expect(await listed('told=false')).toEqual([order.id]);
      expect(await tell()).toBe(200);
      expect(await listed('told=false')).toEqual([]);
      const kept = await world.rows('SELECT result_version, markers FROM patient_notifications ORDER BY recorded_at');
      const names = (values as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'Potassium');
      expect(kept).toEqual([
        { result_version: 1, markers: '["Potassium"]' },
        { result_version: 2, markers: JSON.stringify(names.length > 0 ? names : ['Potassium']) },
      ]);
    });

    it('stays on the list if the patient was informed of an earlier version, or of other markers', async () => {
      const notify = async (body: object): Promise<number> =>
        (await world.send(`POST /admin/v1/orders/${order.id}/notified`, adminKeys.operator, { how: 'phone', ...body }))
          .status;
      const calcium = marker('Calcium', '3.9', 'critical');
      await show(marker('Potassium', '7.9', 'critical'), calcium);
      expect(await notify({ result_version: 1, markers: ['Potassium'] })).toBe(200);
      expect(await listed('told=false')).toEqual([order.id]);
      world.service.clock.advance(1_000);
      expect(await notify({ result_version: 2, markers: ['Potassium'] })).toBe(200);
      expect(await listed('told=false')).toEqual([order.id]);
      world.service.clock.advance(1_000);
      expect(await notify({ markers: ['Calcium'] })).toBe(200);
      expect(await listed('told=false')).toEqual([]);
      const kept = await world.rows('SELECT result_version, markers FROM patient_notifications ORDER BY recorded_at');
      expect(kept).toEqual([
        { result_version: 1, markers: '["Potassium"]' },
        { result_version: 2, markers: '["Potassium"]' },
        { result_version: 2, markers: '["Calcium"]' },
      ]);
      for (const body of [{ result_version: -1 }, { markers: [] }, { markers: [7] }])
        expect(await notify(body)).toBe(400);
    });

    it('stays on the list if the patient was informed only of what an event says', async () => {
      await hearCritical(order.id, { sample_id: 'S9' });
      const notify = async (): Promise<number> => {
        const body = { how: 'phone', result_version: 0 };
        return (await world.send(`POST /admin/v1/orders/${order.id}/notified`, adminKeys.operator, body)).status;
      };
      expect(await notify()).toBe(200);
      const { critical_results } = await read(`orders/${order.id}`, reader);
      const told = { how: 'phone' };
      expect(critical_results).toMatchObject([
        { said_by: 'event', result_version: null, told },
        { said_by: 'marker', told: null },
      ]);
      expect(await listed('told=false')).toEqual([order.id]);
      world.service.clock.advance(1_000);
      // Again, with nothing left that no result reports: kept as history.
      expect(await notify()).toBe(200);
      expect(await listed('told=false')).toEqual([order.id]);
      expect(
        await world.rows('SELECT result_version, markers FROM patient_notifications ORDER BY recorded_at'),
      ).toEqual([
        { result_version: null, markers: '[]' },
        { result_version: null, markers: '[]' },
      ]);
    });

    it('is on the list again when its withdrawal is taken back, although the patient heard of another in between', async () => {
      await world.control.fault({ kind: 'status', status: 404, path: '/v3/' });
      await world.result(order);
      expect(await listed('told=false')).toEqual([]);
      await world.control.clearFaults();
      await world.advance(60);
      await hearCritical(order.id, { sample_id: 'S9' });
      expect(await tell()).toBe(200);
      expect(await listed('told=false')).toEqual([]);
      await world.result(order);
      expect(await listed('told=false')).toEqual([order.id]);
    });

    it('is settled by a version without it', async () => {
      await show(marker('Potassium', '4.4', 'normal'));
      expect(await listed('critical=true')).toEqual([]);
      expect(await listed('told=false')).toEqual([]);
    });

    it('is on the list again after a newer event of the same sample', async () => {
      await hearCritical(order.id);
      await tell();
      await hearCritical(order.id);
      expect(await listed('told=false')).toEqual([]);
      await world.advance(60);
      await hearCritical(order.id);
      expect(await listed('told=false')).toEqual([order.id]);
    });
  });

  describe('that the result of the transaction shows, too', () => {
    let order: Placed;
    const tell = (): Promise<unknown> =>
      world.send(`POST /admin/v1/orders/${order.id}/told`, adminKeys.operator, { how: 'phone' });
    const withdrawOfOrder = async (): Promise<void> => {
      await world.control.fault({ kind: 'status', status: 404, path: `/v3/order/${order.id}/result` });
      await world.advance(60);
      await world.result(order);
    };
    const withdrawAll = async (): Promise<void> => {
      await world.control.fault({ kind: 'status', status: 404, path: '/v3/' });
      await world.advance(60);
      await world.combined(order);
    };
    const back = async (): Promise<void> => {
      await world.control.clearFaults();
      await world.advance(60);
    };

    beforeEach(async () => {
      [order] = await two();
      const results = [{ name: 'Potassium', result: '7.4', interpretation: 'critical' }];
      await world.control.setResult(order.id, { metadata: { interpretation: null }, results });
      await world.advance(60);
      await world.result(order);
      await world.combined(order);
      expect(await listed('told=false')).toEqual([order.id]);
    });

    it('stays on the list when only the result of the order is withdrawn, until both are', async () => {
      await withdrawOfOrder();
      expect(await listed('told=false')).toEqual([order.id]);
      await world.advance(60);
      await world.combined(order);
      expect(await listed('told=false')).toEqual([order.id]);
      await withdrawAll();
      expect(await listed('critical=true')).toEqual([]);
    });

    it('keeps its time and the record that the patient was informed', async () => {
      const times = () => world.rows('SELECT observed_at FROM critical_results WHERE settled_at IS NULL');
      const before = await times();
      await tell();
      await withdrawOfOrder();
      expect(await listed('told=false')).toEqual([]);
      expect(await listed('critical=true')).toEqual([order.id]);
      expect(await times()).toEqual(before);
    });

    it('is not on the list again when the order has its result back after the patient was informed', async () => {
      await withdrawOfOrder();
      await tell();
      await back();
      await world.result(order);
      expect(await listed('told=false')).toEqual([]);
      expect(await listed('critical=true')).toEqual([order.id]);
    });

    it('is on the list again when only the result of the transaction is back', async () => {
      await withdrawOfOrder();
      await withdrawAll();
      expect(await listed('critical=true')).toEqual([]);
      await back();
      await world.combined(order);
      expect(await listed('told=false')).toEqual([order.id]);
    });

    it('is on the list again when the transaction still shows it after the result of the order revoked it', async () => {
      const at = world.service.clock.now();
      const revoked = { findings: [], status: 'final', version: 2, account: 1, at };
      await world.service.store.lane.run((tx) =>
        world.service.get(CriticalResults).applyResult(tx, { scope: 'order', id: order.id }, revoked),
      );
      expect(await listed('told=false')).toEqual([]);
      await world.advance(60);
      await world.combined(order);
      expect(await listed('told=false')).toEqual([order.id]);
    });

    it('is not critical again by what was read before its withdrawal', async () => {
      const read = { subject: { scope: 'order', id: order.id }, form: 'json', source: 'read' } as const;
      const observedAt = world.service.clock.now();
      await withdrawOfOrder();
      await withdrawAll();
      const [stored] = await world.rows("SELECT checksum FROM lab_results WHERE scope = 'order'");
      const findings: CriticalFinding[] = [];
      const content = { status: 'final', interpretation: null, content: '{}', findings } as const;
      const late = { ...read, observedAt, checksum: String(stored?.['checksum']), bytes: 2, content };
      await world.service.store.lane.run((tx) => world.service.get(StoreResult).apply(tx, late));
      expect(await listed('critical=true')).toEqual([]);
    });
  });

  it('is not said by an older report of the order that arrives after a newer one', async () => {
    const [order] = await two();
    const wire = await world.service.get(UpstreamClient).order(order.id, { priority: 'interactive' });
    const observed = { account: 1, observedAt: world.service.clock.now(), source: 'message' } as const;
    const later = { ...wire, interpretation: 'normal', updated_at: '2026-11-20T13:00:00+00:00' };
    const earlier = { ...wire, interpretation: 'critical', updated_at: '2026-11-20T12:30:00+00:00' };
    for (const each of [later, earlier]) {
      await world.service.store.lane.run((tx) => world.service.get(OrdersApply).applyOrder(tx, each, observed));
    }
    expect(await listed('critical=true')).toEqual([]);
  });

  it('is found among many orders through an index of critical ones', async () => {
    if (world.service.store.reader.dialect !== 'sqlite') return;
    const plan = await world.rows(
      `EXPLAIN QUERY PLAN SELECT o.order_id FROM orders o WHERE o.order_id IN (SELECT c.order_id FROM critical_results c)
       ORDER BY o.created_at DESC, o.order_id DESC LIMIT 10`,
    );
    expect(plan.map((step) => step['detail'])).toContainEqual(expect.stringMatching(/^SEARCH o USING .*order_id=\?/));
  });
});
