import type { Sandbox } from '../../sandbox/server.js';
import { call, closeAll, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

async function eventTypes(sandbox: Sandbox): Promise<string[]> {
  return (await sandbox.control.messages()).messages.map(({ event_type }) => event_type);
}

describe('appointments and compendium', () => {
  const availability = 'POST /v3/order/psc/appointment/availability';
  const atOneSite = `${availability}?lab=quest&site_codes=QNY1`;

  it('offers slots for inputs in the query, or in the body if so configured [appointments#where-inputs-go]', async () => {
    const sandbox = await sandboxFor();
    const input = { lab: 'quest', zip_code: '10001', radius: '25' };
    const sites = `${availability}?lab=quest&site_codes=QNY1&site_codes=QNY2`;
    const refused = (part: string) => ({ status: 422, body: { detail: [{ loc: [part, 'lab'], type: 'missing' }] } });
    expect(await call(sandbox, availability, input)).toMatchObject(refused('query'));
    const inQuery = await call(sandbox, sites);
    await sandbox.control.configure({ availability_input: 'body' });
    expect(await call(sandbox, sites, {})).toMatchObject(refused('body'));
    expect(await call(sandbox, sites)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } });
    const inBody = await call(sandbox, availability, input);
    expect(inBody.body).toEqual(inQuery.body);
    expect(inBody.body).toMatchObject({
      timezone: 'America/New_York',
      slots: [{ location: { code: 'QNY1' } }, {}, {}, {}, {}, {}],
    });
  });

  it.each([
    [{ zip_code: '10001' }, 422],
    [{ lab: 'labcorp', zip_code: '10001' }, 422],
    [{ lab: 'quest', zip_code: '1001' }, 422],
    [{ lab: 'quest', zip_code: '10001', radius: 25 }, 422],
    [{ lab: 'quest' }, 400],
    [{ lab: 'quest', zip_code: '10001' }, 400],
    [{ lab: 'quest', zip_code: '10001', radius: null }, 400],
    [{ lab: 'quest', site_codes: ['QNY1', 'QNY2', 'QNY1', 'QNY2'] }, 400],
    [{ lab: 'quest', site_codes: ['NONE'] }, 400],
    [{ lab: 'quest', zip_code: '10001', radius: '25', start_date: '2026-11-01' }, 400],
    [{ lab: 'quest', zip_code: '99999', radius: '25' }, 404],
  ])('answers %j with %i [appointments#errors-of-availability-and-booking]', async (body, status) => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ availability_input: 'body' });
    expect((await call(sandbox, availability, body)).status).toBe(status);
  });

  it('returns an earlier lookup of a site only if stale ones are allowed, and for 15 minutes [appointments#stale-availability]', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox), notify: false });
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const search = async (allow_stale: boolean): Promise<{ slots: { slots: { booking_key: string }[] }[] }> => {
      const { text } = await call(sandbox, `${atOneSite}&allow_stale=${allow_stale}`);
      return JSON.parse(text) as { slots: { slots: { booking_key: string }[] }[] };
    };
    const first = await search(true);
    const booking_key = first.slots[0]?.slots[0]?.booking_key;
    await call(sandbox, `POST /v3/order/${order.id}/psc/appointment/book`, { booking_key });
    expect(await search(true)).toEqual(first);
    const offers = async (stale: boolean): Promise<boolean> =>
      JSON.stringify(await search(stale)).includes(String(booking_key));
    await sandbox.control.advance(15 * 60 - 1);
    expect(await offers(true)).toBe(true);
    await sandbox.control.advance(1);
    expect(await offers(true)).toBe(false);
    expect(await offers(false)).toBe(false);
  });

  it('has no appointments if scheduling is not enabled', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ scheduling: false });
    expect((await call(sandbox, atOneSite)).status).toBe(503);
  });

  it('omits or nulls optional fields when it is lean', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ lean_labs: true });
    const { body } = await call(sandbox, atOneSite);
    expect(body).toMatchObject({
      timezone: null,
      slots: [{ location: null, slots: [{ booking_key: null, expires_at: null }, {}, {}, {}] }, {}, {}],
    });
    const crosswalk = await call(sandbox, 'POST /v3/compendium/search', { mode: 'crosswalk', query: 'tsh' });
    expect(crosswalk.body).toMatchObject({ per_lab: { unheard_lab: [{ relation: 'unheard_of' }] } });
    expect(crosswalk.body).not.toHaveProperty('related');
    expect(crosswalk.body.selected_canonical).not.toHaveProperty('loinc_codes');
    const canonical = await call(sandbox, 'POST /v3/compendium/search', { mode: 'canonical', query: 'nothing' });
    expect(canonical.body).toEqual({ mode: 'canonical', selected_canonical: null });
  });

  it('books, moves and cancels an appointment of an order with a requisition [appointments#booking]', async () => {
    const sandbox = await sandboxFor();
    const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox), notify: false });
    const { slots } = (await call(sandbox, atOneSite)).body;
    const [first, second] = (slots[0].slots as { booking_key: string }[]).map((slot) => slot.booking_key);
    const path = `/v3/order/${order.id}/psc/appointment`;
    expect((await call(sandbox, `POST ${path}/book`, { booking_key: first })).status).toBe(400);
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const booked = await call(sandbox, `POST ${path}/book`, { booking_key: first });
    expect(booked.body).toMatchObject({ order_id: order.id, status: 'confirmed', event_status: 'scheduled' });
    const moved = await call(sandbox, `PATCH ${path}/reschedule`, { booking_key: second });
    expect(moved.body.start_at).not.toBe(booked.body.start_at);
    expect((await call(sandbox, `GET ${path}`)).body).toEqual(moved.body);
    const [reason] = (await call(sandbox, 'GET /v3/order/psc/appointment/cancellation-reasons')).body;
    expect((await call(sandbox, `PATCH ${path}/cancel`, { cancellationReasonId: reason.id })).body.status).toBe(
      'cancelled',
    );
    expect((await call(sandbox, `GET /v3/order/${order.id}`)).body.last_event.status).toBe(
      'collecting_sample.walk_in_test.appointment_cancelled',
    );
    expect((await call(sandbox, `GET ${path}`)).status).toBe(404);
    const types = await eventTypes(sandbox);
    expect(types.filter((type) => type.startsWith('labtest.appointment'))).toEqual([
      'labtest.appointment.created',
      'labtest.appointment.updated',
      'labtest.appointment.updated',
    ]);
  });

  it.each([
    [{ mode: 'canonical', query: 'a1c' }, 200],
    [{ mode: 'canonical' }, 422],
    [{ mode: 'canonical', query: 'a1c', limit: 11 }, 422],
    [{ mode: 'crosswalk', query: 'a1c', limit: 20 }, 200],
    [{ mode: 'crosswalk', query: 'a1c', loinc_set_hash: 'x' }, 422],
    [{ mode: 'other', query: 'a1c' }, 422],
    [{ query: 'a1c' }, 422],
    [{ mode: 'canonical', query: 'a1c', lab: 'quest' }, 422],
  ])('answers the search %j with %i [compendium#search]', async (body, status) => {
    const sandbox = await sandboxFor();
    expect((await call(sandbox, 'POST /v3/compendium/search', body)).status).toBe(status);
  });

  it('fills labs and related entries in crosswalk mode only [compendium#candidates-of-labs]', async () => {
    const sandbox = await sandboxFor();
    const search = async (mode: string): Promise<Record<string, unknown>> =>
      (await call(sandbox, 'POST /v3/compendium/search', { mode, query: 'tsh' })).body as Record<string, unknown>;
    expect(await search('canonical')).toMatchObject({
      selected_canonical: { loinc_codes: ['3016-3'] },
      per_lab: {},
      related: [],
    });
    const crosswalk = await search('crosswalk');
    expect(Object.keys(crosswalk.per_lab as object)).toEqual(['labcorp', 'quest', 'bioreference', 'sonora_quest']);
    expect((crosswalk.related as unknown[])[0]).toMatchObject({
      canonical: expect.any(Object),
      relation: 'overlap',
      reason_codes: ['OVERLAP'],
    });
  });
});
