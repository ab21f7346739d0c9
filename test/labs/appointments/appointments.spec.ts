import fc from 'fast-check';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { OrdersApply } from '../../../src/labs/orders/orders-apply.service.js';
import { accessToken, adminKeys } from '../../support/environment.js';
import { Lab, nthId, startOfLab } from '../orders/support/lab.js';
import { OrdersWorld } from '../orders/support/orders-world.js';

const hour = 3_600_000;

let world: OrdersWorld;
let ann: number;
let labs = 0;

beforeAll(async () => {
  world = await OrdersWorld.open();
  await world.user('ann');
  ann = (await world.service.get(AccountsService).get('ann')).id;
});

afterAll(() => world.close());

type Message = { appointment: object } | { order: Lab['sayings'][number] };

const at = (hours: number): string => new Date(startOfLab + hours * hour).toISOString();

/** An appointment as upstream sends it: times without an offset, and a place that is not to be kept. */
function appointment(
  order_id: string,
  id: string,
  steps: [status: string, atHour: number][],
  over: object = {},
): object {
  const status = steps.at(-1)?.[0] ?? 'scheduled';
  return {
    id,
    order_id,
    user_id: 'user',
    status: status === 'scheduled' ? 'confirmed' : status,
    event_status: status,
    start_at: at(48).replace('Z', ''),
    end_at: at(49).replace('Z', ''),
    iana_timezone: 'America/New_York',
    type: 'patient_service_center',
    provider: 'quest',
    address: { first_line: 'MARKED' },
    appointment_notes: 'MARKED',
    external_id: 'MARKED',
    events: steps.map(([step, hours]) => ({ created_at: at(hours), status: step, data: { note: 'MARKED' } })),
    ...over,
  };
}

async function hear(messages: readonly Message[], account: number | null = ann): Promise<void> {
  const service = world.service.get(OrdersApply);
  let observedAt = startOfLab + 100 * hour;
  for (const message of messages) {
    observedAt += 1_000;
    const observed = { account, observedAt, source: 'message' } as const;
    await world.service.store.lane.run(async (tx) => {
      if ('appointment' in message) await service.applyAppointment(tx, message.appointment, observed);
      else if ('order' in message.order) await service.applyOrder(tx, message.order.order, observed);
    });
  }
}

interface View {
  order_id: string;
  status: string;
  is_active: boolean;
  order_transaction_id: string | null;
  history: { created_at: string; status: string }[];
}

const send = async (line: string, token: string): Promise<{ status: number; body: Record<string, unknown> }> =>
  await world.service.send(line, { token });
const ofOrder = async (id: string): Promise<View[]> =>
  (await send(`GET /admin/v1/orders/${id}`, adminKeys.viewer)).body['appointments'] as View[];
const ofTransaction = async (id: string): Promise<View[]> =>
  (await send(`GET /admin/v1/order-transactions/${id}`, adminKeys.viewer)).body['appointments'] as View[];

function newLab(): Lab {
  const prefix = newPrefix();
  return new Lab(nthId(prefix, 0), 'user', prefix);
}

/** The front of a UUID that no other lab of the file has. */
function newPrefix(): string {
  labs += 1;
  return `${String(labs).padStart(8, '0')}-0000-4000-8000`;
}

const appointmentId = (orderId: string, name: string): string => orderId.replace(/.$/, name);

/** A lab with one order, an appointment that was moved and cancelled, and another in its place. */
function moved(): { lab: Lab; orderId: string; messages: Message[] } {
  const lab = newLab();
  const order = lab.create('initial');
  const [first, second] = [appointmentId(order.id, 'a'), appointmentId(order.id, 'b')];
  const told = lab.sayings.map((saying) => ({ order: saying }));
  const messages: Message[] = [
    ...told,
    { appointment: appointment(order.id, first, [['scheduled', 1]]) },
    {
      appointment: appointment(
        order.id,
        first,
        [
          ['scheduled', 1],
          ['scheduled', 2],
        ],
        { start_at: at(72) },
      ),
    },
    {
      appointment: appointment(order.id, first, [
        ['scheduled', 1],
        ['scheduled', 2],
        ['cancelled', 3],
      ]),
    },
    { appointment: appointment(order.id, second, [['scheduled', 4]], { order_transaction_id: lab.transactionId }) },
  ];
  return { lab, orderId: order.id, messages };
}

describe('an appointment', () => {
  it('is shown with the order and the transaction, in UTC, with its zone and history [appointments#the-appointment-object]', async () => {
    const { lab, orderId, messages } = moved();
    await hear(messages);
    const shown = await ofOrder(orderId);
    expect(shown).toEqual([
      {
        appointment_id: appointmentId(orderId, 'a'),
        order_id: orderId,
        order_transaction_id: lab.transactionId,
        is_active: false,
        type: 'patient_service_center',
        provider: 'quest',
        status: 'cancelled',
        event_status: 'cancelled',
        start_at: at(48),
        end_at: at(49),
        iana_timezone: 'America/New_York',
        history: [
          { created_at: at(1), status: 'scheduled' },
          { created_at: at(2), status: 'scheduled' },
          { created_at: at(3), status: 'cancelled' },
        ],
      },
      expect.objectContaining({ appointment_id: appointmentId(orderId, 'b'), is_active: true, status: 'confirmed' }),
    ]);
    expect(await ofTransaction(lab.transactionId)).toEqual(shown);
  });

  it('ends the same for any order and number of its events and its order', async () => {
    const expected = moved();
    await hear(expected.messages);
    const nameless = (lab: Lab, views: View[]): string =>
      JSON.stringify(views).replaceAll(lab.transactionId.slice(0, 9), 'lab-');
    const end = nameless(expected.lab, await ofOrder(expected.orderId));
    const places = fc.shuffledSubarray([0, 1, 2, 3, 4, 0, 1, 2, 3, 4], { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(places, async (order) => {
        const { lab, orderId, messages } = moved();
        await hear(order.flatMap((place) => messages[place] ?? []));
        expect(nameless(lab, await ofOrder(orderId))).toBe(end);
        expect(nameless(lab, await ofTransaction(lab.transactionId))).toBe(end);
      }),
      { numRuns: 30 },
    );
  });

  it('may name an unknown order, which gets a row and is looked up', async () => {
    const orderId = nthId(newPrefix(), 1);
    await hear([{ appointment: appointment(orderId, appointmentId(orderId, 'a'), [['pending', 1]]) }]);
    expect(await ofOrder(orderId)).toMatchObject([{ order_id: orderId, order_transaction_id: null, is_active: true }]);
    expect(
      await world.rows(`SELECT subject_id FROM due_reads WHERE kind = 'order' AND subject_id = '${orderId}'`),
    ).toHaveLength(1);
  });

  it('that arrives before its order is linked to the transaction and the account once they are known', async () => {
    const { lab, orderId, messages } = moved();
    const [order, ...appointments] = messages;
    await hear(appointments.slice(0, 3), null);
    expect(await ofOrder(orderId)).toMatchObject([{ order_transaction_id: null }]);
    await hear(order ? [order] : []);
    expect(await ofTransaction(lab.transactionId)).toMatchObject([{ order_transaction_id: lab.transactionId }]);
    expect(await world.rows(`SELECT account_id FROM appointments WHERE order_id = '${orderId}'`)).toEqual([
      { account_id: ann },
    ]);
  });

  it('is stored without place, notes and other unneeded fields', async () => {
    await hear(moved().messages);
    expect(JSON.stringify(await world.rows('SELECT * FROM appointments'))).not.toContain('MARKED');
  });
});

describe('the person', () => {
  it('sees only the appointments of own orders', async () => {
    const { lab, orderId, messages } = moved();
    await hear(messages);
    await world.user('bob');
    const bob = (await world.service.get(AccountsService).get('bob')).id;
    await hear([{ appointment: appointment(orderId, `${orderId}-bob`, [['scheduled', 9]]) }], bob);
    const token = await accessToken('ann', world.service.clock.now());
    const list = await send('GET /v1/me/orders?limit=500', token);
    const own = (list.body['data'] as { order_id: string; appointments: View[] }[]).find(
      (each) => each.order_id === orderId,
    );
    expect(own?.appointments).toMatchObject([
      { status: 'cancelled', is_active: false },
      { status: 'confirmed', is_active: true, iana_timezone: 'America/New_York' },
    ]);
    const one = await send(`GET /v1/me/order-transactions/${lab.transactionId}`, token);
    expect(one.body['appointments']).toEqual(own?.appointments);
    const other = await send('GET /v1/me/orders', await accessToken('bob', world.service.clock.now()));
    expect(other.body['data']).toEqual([]);
  });
});
