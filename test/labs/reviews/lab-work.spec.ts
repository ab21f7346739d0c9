import { OrdersApply } from '../../../src/labs/orders/orders-apply.service.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { adminKeys, DAY } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Lab } from '../orders/support/lab.js';

const { viewer, reader, operator } = adminKeys;
const prefix = (nth: number): string => `${String(nth).padStart(8, '0')}-1111-4111-8111`;
const received = Date.parse('2026-11-21T12:00:00Z');

interface Item {
  readonly kind: string;
  readonly reason: string;
  readonly since: string;
  readonly account_id: string | null;
  readonly order_id: string | null;
  readonly action: string;
}
interface Work {
  readonly data: Item[];
  readonly next_cursor: string | null;
}

let app: TestApp;
let labs = 0;

beforeAll(async () => {
  app = await TestApp.create({ webhooks: false });
  await app.store.lane.run((tx) =>
    tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('ann', 'active', 0, 0)`),
  );
  app.clock.set(received + 86_400_000);
});

afterAll(() => app.close());

beforeEach(async () => {
  const tables = ['critical_results', 'patient_notifications', 'appointments', 'order_events', 'due_reads'];
  const all = [...tables, 'lab_results', 'orders', 'order_transactions', 'unmatched_results'];
  await app.store.lane.run(async (tx) => {
    for (const table of all) await tx.execute(`DELETE FROM ${table}`);
  });
});

function newLab(): Lab {
  labs += 1;
  return new Lab(`${prefix(labs)}-999999999999`, 'user', prefix(labs));
}

/** Applies all that the lab said. */
async function hear(lab: Lab, at = received): Promise<void> {
  const intake = app.get(OrdersApply);
  const reported = { account: 1, observedAt: at, source: 'message' } as const;
  for (const saying of lab.sayings.splice(0)) {
    if ('order' in saying) await app.store.lane.run((tx) => intake.applyOrder(tx, saying.order, reported));
  }
}

async function warn(order_id: string, at = received): Promise<void> {
  const time = new Date(at).toISOString();
  const data = { order_id, sample_id: 'S1', interpretation: 'critical', created_at: time, updated_at: time };
  const reported = { account: 1, observedAt: at, source: 'message' } as const;
  await app.store.lane.run((tx) => app.get(OrdersApply).applyCritical(tx, data, reported));
}

const work = async (query = ''): Promise<Work> =>
  (await app.send<Work>(`GET /admin/v1/lab-work${query}`, { token: viewer })).body;
const reasons = async (query = ''): Promise<string[]> =>
  (await work(query)).data.map(({ kind, reason }) => `${kind} ${reason}`);
const act = (action: string): Promise<{ status: number }> =>
  app.send(action, { token: operator, body: { how: 'phone' } });

/** A redraw that waits for the patient. */
async function owed(): Promise<Lab> {
  const lab = newLab();
  const first = lab.create('initial');
  lab.wait(1_000).step(first, 'collecting_sample.walk_in_test.redraw_available');
  lab.wait(1_000).create('redraw', first);
  await hear(lab);
  return lab;
}

describe('the list of what a clinic must do', () => {
  it('has critical results first, then draws that are owed, then what else waits', async () => {
    const failed = newLab();
    failed.wait(1_000).step(failed.create('initial'), 'failed.walk_in_test.sample_error');
    await hear(failed, received - 5_000);
    await owed();
    const critical = newLab();
    const { id } = critical.create('initial');
    await hear(critical);
    await warn(id, received + 9_000);
    await app.store.lane.run((tx) => tx.execute(`UPDATE due_reads SET due_at = NULL WHERE kind = 'result'`));
    expect(await reasons('?limit=4')).toEqual([
      'notify critical',
      'notify redraw',
      'replace replace',
      'chase given_up',
    ]);
    expect((await work()).data[0]).toMatchObject({
      since: '2026-11-21T12:00:09.000Z',
      account_id: 'ann',
      order_id: id,
      action: `POST /admin/v1/orders/${id}/notified`,
    });
    expect(await reasons('?kind=notify')).toEqual(['notify critical', 'notify redraw']);
    expect(await reasons('?account_id=bob')).toEqual([]);
  });

  it('has an order and its transaction once if the results of both were withdrawn or given up', async () => {
    const lab = newLab();
    const { id } = lab.create('initial');
    await hear(lab);
    const both = { order: id, transaction: lab.transactionId };
    await app.store.lane.run(async (tx) => {
      await tx.execute('DELETE FROM due_reads');
      for (const [scope, subject] of Object.entries(both)) {
        await tx.execute(
          `INSERT INTO lab_results (scope, subject_id, form, version, account_id, checksum, bytes, source, first_seen_at,
             last_confirmed_at, withdrawn_at) VALUES (?, ?, 'json', 1, 1, '', 0, 'read', ?, ?, ?)`,
          [scope, subject, received, received, received],
        );
        await tx.execute(
          `INSERT INTO due_reads (scope, subject_id, kind, account_id, requested_at, attempts)
           VALUES (?, ?, 'result', 1, ?, 9)`,
          [scope, subject, received],
        );
      }
    });
    const lines = async (): Promise<string[]> =>
      (await work()).data.map(({ reason, order_id }) => `${reason} ${order_id}`);
    expect(await lines()).toEqual([`given_up ${id}`, `withdrawn ${id}`]);
    await app.store.lane.run(async (tx) => {
      for (const table of ['lab_results', 'due_reads']) await tx.execute(`DELETE FROM ${table} WHERE scope = 'order'`);
    });
    expect(await lines()).toEqual([`given_up ${id}`, `withdrawn ${id}`]);
  });

  it('names the request that takes an item off the list', async () => {
    await owed();
    const critical = newLab();
    const { id } = critical.create('initial');
    await hear(critical);
    await warn(id);
    const [first, second] = (await work('?kind=notify')).data;
    for (const item of [first, second]) expect((await act(item?.action ?? '')).status).toBe(200);
    expect(await reasons('?kind=notify')).toEqual([]);
    expect(await reasons('?kind=book')).toEqual(['book draw']);
  });

  it('has a draw to book until the order has an active appointment', async () => {
    const lab = await owed();
    await act((await work()).data[0]?.action ?? '');
    const order_id = lab.orders[1]?.id;
    const say = (id: string, status: string): Promise<unknown> => {
      const data = {
        id,
        order_id,
        status,
        event_status: status,
        start_at: '2026-11-23T12:00:00Z',
        events: [{ created_at: '2026-11-21T12:00:00Z', status }],
      };
      const reported = { account: 1, observedAt: received, source: 'message' } as const;
      return app.store.lane.run((tx) => app.get(OrdersApply).applyAppointment(tx, data, reported));
    };
    expect(await work()).toMatchObject({ data: [{ kind: 'book', order_id }] });
    await say('a1', 'confirmed');
    expect(await reasons()).toEqual([]);
    // Nobody came, and upstream says nothing of it.
    app.clock.set(received + 3 * DAY + 1);
    expect(await reasons()).toEqual(['book draw']);
    app.clock.set(received + DAY);
    await say('a1', 'cancelled');
    expect(await reasons()).toEqual(['book draw']);
  });

  it.each([
    ['sample_with_lab.testkit.lab_processing_blocked', 'replace unblock'],
    ['failed.testkit.lost', 'replace replace'],
  ])('has an order that is %s', async (status, line) => {
    const lab = newLab();
    lab.wait(1_000).step(lab.create('initial'), status);
    await hear(lab);
    expect(await reasons()).toEqual([line]);
  });

  it('has a loss until a person records that it was replaced, and the next loss of the same order again', async () => {
    const lab = newLab();
    const order = lab.create('initial');
    lab.wait(1_000).step(order, 'failed.testkit.lost');
    await hear(lab);
    const [item] = (await work()).data;
    const record = async (): Promise<unknown> => {
      const { status, body } = await app.send<{ at: string; by: string; replayed: boolean; code?: string }>(
        item?.action ?? '',
        { token: operator },
      );
      return [status, body.replayed ?? body.code];
    };
    const read = (): Promise<{ body: unknown }> =>
      app.send(`GET /admin/v1/order-transactions/${lab.transactionId}`, { token: viewer });
    expect(item?.action).toBe(`POST /admin/v1/order-transactions/${lab.transactionId}/replaced`);
    expect([await record(), await record()]).toEqual([
      [200, false],
      [200, true],
    ]);
    expect(await reasons()).toEqual([]);
    expect((await read()).body).toMatchObject({ needs: null, act_on: null, replaced: { by: 'operator' } });
    lab.say(order);
    await hear(lab, received + 1_000);
    expect(await reasons()).toEqual([]);
    // The kit that was sent again is lost, too.
    lab.wait(1_000).step(order, 'failed.testkit.lost');
    await hear(lab, received + 2_000);
    expect((await work()).data).toMatchObject([{ reason: 'replace', since: '2026-11-21T12:00:02.000Z' }]);
    expect((await read()).body).toMatchObject({ needs: 'replace', replaced: { by: 'operator' } });
    expect(await record()).toEqual([200, false]);
    lab.wait(1_000).step(order, 'completed.testkit.completed');
    await hear(lab, received + 3_000);
    expect(await record()).toEqual([409, 'conflict']);
    const path = `${prefix(9)}-999999999998`;
    const unknown = `POST /admin/v1/order-transactions/${path}/replaced`;
    expect((await app.send(unknown, { token: operator })).status).toBe(404);
  });

  it('has a transaction whose status contradicts its orders, until it does not', async () => {
    const lab = newLab();
    const order = lab.create('initial');
    lab.wait(1_000).step(order, 'completed.walk_in_test.completed');
    await hear(lab);
    const say = (status: string): Promise<unknown> => {
      const transaction = { ...lab.transaction(), status };
      const reported = { account: 1, observedAt: received + 1_000, source: 'read' } as const;
      return app.store.lane.run((tx) => app.get(OrdersApply).applyTransaction(tx, transaction, reported));
    };
    await say('cancelled');
    await app.store.lane.run((tx) => tx.execute(`DELETE FROM due_reads WHERE kind = 'result'`));
    expect((await work()).data).toMatchObject([
      {
        ...{ kind: 'chase', reason: 'inconsistent', order_id: order.id, since: '2026-11-21T12:00:01.000Z' },
        action: `POST /admin/v1/order-transactions/${lab.transactionId}/refresh`,
      },
    ]);
    await say('completed');
    expect(await reasons('?kind=chase')).not.toContain('chase inconsistent');
  });

  it('has an unmatched result that is critical among the first, in order of time', async () => {
    const item = (nth: number, is_critical: number, created_at: number): Promise<void> =>
      app.store.lane.run(async (tx) => {
        await tx.execute(
          `INSERT INTO unmatched_results (id, status, sub_reason_codes, allowed_actions, is_critical, created_at, version,
            observed_at, attempts) VALUES (?, 'pending_customer_review', '[]', '[]', ?, ?, 0, 0, 0)`,
          [`${prefix(nth)}-888888888888`, is_critical, created_at],
        );
      });
    await item(1, 0, received - 9_000);
    await item(2, 1, received);
    const [early, late] = [newLab(), newLab()];
    const orders = [early.create('initial'), late.create('initial')];
    await hear(early);
    await hear(late);
    await warn(orders[0]?.id ?? '', received - 1_000);
    await warn(orders[1]?.id ?? '', received + 1_000);
    expect(await reasons()).toEqual([
      ...['notify critical', 'decide critical_unmatched', 'notify critical'],
      'decide unmatched',
    ]);
    expect(await reasons('?kind=decide')).toEqual(['decide critical_unmatched', 'decide unmatched']);
    const pages = [await work('?limit=2'), await work('?limit=3')];
    const rest = await work(`?limit=5&cursor=${pages[0]?.next_cursor}`);
    expect(rest.data.map(({ reason }) => reason)).toEqual(['critical', 'unmatched']);
  });

  it('says since when another draw is owed, and asks to notify again', async () => {
    const lab = await owed();
    await act((await work()).data[0]?.action ?? '');
    const [, redraw] = lab.orders;
    if (!redraw) throw new Error('There is no redraw.');
    lab.wait(1_000).step(redraw, 'cancelled.walk_in_test.cancelled');
    lab.wait(1_000).create('recreation', redraw);
    await hear(lab, received + 60_000);
    expect((await work()).data).toMatchObject([{ reason: 'redraw', since: '2026-11-21T12:01:00.000Z' }]);
  });

  it('raises an alarm once a draw has been owed for more than 14 days', async () => {
    await owed();
    const codes = async (): Promise<string[]> => {
      await app.run(AlarmsWorker);
      const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
      return body.data.map(({ code }) => code);
    };
    app.clock.set(received + 14 * DAY);
    expect(await codes()).not.toContain('redraws_overdue');
    app.clock.advance(1);
    expect(await codes()).toContain('redraws_overdue');
    app.clock.set(received + DAY);
  });

  it('comes in pages', async () => {
    for (let nth = 0; nth < 3; nth++) await owed();
    const first = await work('?limit=2');
    const second = await work(`?limit=2&cursor=${first.next_cursor}`);
    const ids = [...first.data, ...second.data].map(({ order_id }) => order_id);
    expect([ids.length, new Set(ids).size, second.next_cursor]).toEqual([3, 3, null]);
    expect((await app.send('GET /admin/v1/lab-work?kind=none', { token: viewer })).status).toBe(400);
  });
});

describe('the history of notifications of an order', () => {
  it('has every record, with the markers for those who may read values', async () => {
    const lab = await owed();
    const order_id = lab.orders[0]?.id ?? '';
    await warn(order_id);
    for (const { action } of (await work('?kind=notify')).data) await act(action);
    await warn(order_id, received + 60_000);
    app.clock.advance(1_000);
    await act(`POST /admin/v1/orders/${order_id}/notified`);
    const read = (token: string): Promise<{ body: unknown }> =>
      app.send(`GET /admin/v1/orders/${order_id}/notifications`, { token });
    const about = ['critical_results', 'redraw', 'critical_results'];
    expect((await read(viewer)).body).toMatchObject({ data: about.map((what) => ({ about: what, markers: null })) });
    expect((await read(reader)).body).toMatchObject({
      data: about.map((what) => ({ about: what, how: 'phone', markers: [] })),
    });
    expect(
      (await app.send(`GET /admin/v1/orders/${prefix(9)}-000000000009/notifications`, { token: viewer })).status,
    ).toBe(404);
  });
});
