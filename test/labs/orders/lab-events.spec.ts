import { type WireFields, WireShapeError } from '../../../src/platform/platform/json-reader.js';
import { HeardOrders, type Row } from './support/heard-orders.js';
import { Lab, nthId, startOfLab } from './support/lab.js';

let heard: HeardOrders;

beforeAll(async () => {
  heard = await HeardOrders.open();
});

afterAll(() => heard.close());

describe('an appointment', () => {
  const data = (lab: Lab, steps: readonly string[], minuteOf = (step: number): number => step): WireFields => ({
    id: `appointment-${lab.transactionId}`,
    user_id: 'user',
    order_id: nthId(lab.transactionId, 1),
    order_transaction_id: lab.transactionId,
    address: { first_line: 'MARKED' },
    location: { lng: 1, lat: 2 },
    appointment_notes: 'MARKED',
    start_at: '2026-11-21T15:00:00',
    end_at: '2026-11-21T15:15:00',
    iana_timezone: 'America/New_York',
    type: 'patient_service_center',
    provider: 'quest',
    status: steps.at(-1) === 'scheduled' ? 'confirmed' : steps.at(-1),
    event_status: steps.at(-1),
    events: steps.map((status, step) => ({
      created_at: `2026-11-20T12:0${minuteOf(step)}:00+00:00`,
      status,
      data: 'MARKED',
    })),
  });
  const apply = (lab: Lab, steps: readonly string[], account: number | null = heard.ann): Promise<unknown> => {
    const observed = heard.next(account);
    return heard.store.lane.run((tx) => heard.intake.applyAppointment(tx, data(lab, steps), observed));
  };
  const found = async (lab: Lab): Promise<Row | undefined> =>
    (await heard.rows('SELECT * FROM appointments WHERE order_id = ?', nthId(lab.transactionId, 1)))[0];

  it('keeps its state and history, and nothing of address, place or notes [appointments#the-appointment-object]', async () => {
    const lab = heard.newLab();
    await apply(lab, ['pending', 'scheduled']);
    const row = await found(lab);
    expect(row).toMatchObject({
      account_id: heard.ann,
      order_transaction_id: lab.transactionId,
      status: 'confirmed',
      event_status: 'scheduled',
      start_at: Date.parse('2026-11-21T15:00:00Z'),
      version: startOfLab + 60_000,
    });
    expect(JSON.parse(String(row?.['history']))).toEqual([
      { created_at: startOfLab, status: 'pending' },
      { created_at: startOfLab + 60_000, status: 'scheduled' },
    ]);
    expect(JSON.stringify(row)).not.toContain('MARKED');
  });

  it('is not moved back by an older message', async () => {
    const lab = heard.newLab();
    await apply(lab, ['pending', 'scheduled', 'cancelled']);
    await apply(lab, ['pending']);
    expect(await found(lab)).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    ['cancelled', ['pending', 'scheduled', 'cancelled']],
    ['scheduled', ['cancelled', 'scheduled']],
  ])('whose steps share an instant ends as %s, whichever message arrives last', async (last, steps) => {
    const lab = heard.newLab();
    for (const known of [steps, steps.slice(0, -1)]) {
      const observed = heard.next(heard.ann);
      await heard.store.lane.run((tx) =>
        heard.intake.applyAppointment(
          tx,
          data(lab, known, () => 0),
          observed,
        ),
      );
    }
    expect(await found(lab)).toMatchObject({ event_status: last });
  });

  it('that has ended stays so when the message of the previous step arrives after it', async () => {
    const lab = heard.newLab();
    const [booked, gone] = [data(lab, ['scheduled']), { status: 'cancelled', event_status: 'cancelled' }];
    for (const said of [booked, { ...booked, ...gone }, booked]) {
      const observed = heard.next(heard.ann);
      await heard.store.lane.run((tx) => heard.intake.applyAppointment(tx, said, observed));
    }
    expect(await found(lab)).toMatchObject({ status: 'cancelled' });
  });

  it('that arrives before its order waits for it, and takes its account from it', async () => {
    const lab = heard.newLab();
    const first = lab.create('initial');
    await apply(lab, ['pending'], null);
    expect(await heard.refreshOf(first.id)).toHaveLength(1);
    await heard.hear(lab.sayings);
    expect(await found(lab)).toMatchObject({ account_id: heard.ann });
    expect(await heard.order(first.id)).toMatchObject({ account_id: heard.ann, created_at: startOfLab });
    expect(await heard.refreshOf(first.id)).toEqual([]);
  });

  it('that names no order is refused as unreadable', async () => {
    const observed = heard.next(heard.ann);
    await expect(
      heard.store.lane.run((tx) => heard.intake.applyAppointment(tx, { id: 'x' }, observed)),
    ).rejects.toThrow(WireShapeError);
  });
});

describe('a critical result', () => {
  const data = (lab: Lab, status: string, minute: number): Record<string, unknown> => ({
    order_id: nthId(lab.transactionId, 1),
    sample_id: 'S1',
    status,
    interpretation: 'critical',
    user_id: 'user',
    created_at: '2026-11-20T12:00:00+00:00',
    updated_at: `2026-11-20T12:0${minute}:00+00:00`,
  });

  it('is linked through its order, and to the transaction once the order is read [results#critical-result-event]', async () => {
    const lab = heard.newLab();
    lab.create('initial');
    const observed = heard.next(null);
    await heard.store.lane.run((tx) => heard.intake.applyCritical(tx, data(lab, 'final', 2), observed));
    await heard.store.lane.run((tx) => heard.intake.applyCritical(tx, data(lab, 'partial', 1), observed));
    expect(await heard.refreshOf(nthId(lab.transactionId, 1))).toHaveLength(1);
    await heard.hear(lab.sayings);
    const found = await heard.rows(
      'SELECT account_id, status FROM critical_results WHERE order_id = ?',
      nthId(lab.transactionId, 1),
    );
    expect(found).toEqual([{ account_id: heard.ann, status: 'final' }]);
    expect(await heard.order(nthId(lab.transactionId, 1))).toMatchObject({ order_transaction_id: lab.transactionId });
  });
});
