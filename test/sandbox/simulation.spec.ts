import type { Sandbox } from '../../sandbox/server.js';
import { faultsOfEvent } from './contract/contract.js';
import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

interface Biomarker {
  type: string;
  value: number;
  result: string;
  interpretation: string;
  is_above_max_range: boolean;
}

async function simulated(sandbox: Sandbox, body: object): Promise<{ id: string; results: Biomarker[] }> {
  const { order } = await sandbox.control.createOrder({ user_id: await newUser(sandbox) });
  await call(sandbox, `POST /v3/order/${order.id}/test`, body);
  const { results } = (await call(sandbox, `GET /v3/order/${order.id}/result`)).body as { results: Biomarker[] };
  return { id: order.id, results };
}

describe('results of a simulated order', () => {
  it('have the requested types in turn, and -1 if there is no number [orders#simulate] [results#biomarkers]', async () => {
    const sandbox = await sandboxFor();
    const { results } = await simulated(sandbox, { result_types: ['numeric', 'comment', 'range'] });
    expect(results.map(({ type }) => type)).toEqual(['numeric', 'comment', 'range']);
    expect(results.map(({ value }) => value === -1)).toEqual([false, true, true]);
    expect(results[2]?.result).toMatch(/^</);
  });

  it('are numeric and normal by default', async () => {
    const sandbox = await sandboxFor();
    const { results } = await simulated(sandbox, {});
    expect(new Set(results.map(({ type, interpretation }) => `${type} ${interpretation}`))).toEqual(
      new Set(['numeric normal']),
    );
    expect((await sandbox.control.messages({ event_type: 'labtest.result.critical' })).messages).toEqual([]);
  });

  it('are critical on request, and an event reports it once they are complete [orders#simulate] [results#critical-result-event]', async () => {
    const sandbox = await sandboxFor();
    const { id, results } = await simulated(sandbox, { interpretation: 'critical' });
    expect(results[0]).toMatchObject({ interpretation: 'critical', is_above_max_range: true });
    const [message, ...more] = (await sandbox.control.messages({ event_type: 'labtest.result.critical' })).messages;
    expect(more).toEqual([]);
    const { body } = await sandbox.control.message(message?.id ?? '');
    expect(JSON.parse(body)).toMatchObject({ data: { order_id: id, status: 'final', interpretation: 'critical' } });
    expect((await call(sandbox, `GET /v3/order/${id}`)).body).toMatchObject({ interpretation: 'critical' });
  });
});

describe('events of the sandbox', () => {
  it('match the documentation: sources, devices, data, history, orders, appointments and results', async () => {
    const sandbox = await sandboxFor();
    const user_id = await connectedUser(sandbox, { provider: 'oura', days: 1 });
    for (const resource of ['blood_pressure', 'mindfulness_minutes', 'note', 'sleep', 'activity', 'workouts', 'body']) {
      await sandbox.control.generate({ user_id, provider: 'oura', resource, days: 1, notify: true });
    }
    await sandbox.control.edit({ user_id, resource: 'sleep' });
    await sandbox.control.addDevice({ user_id, provider: 'oura', source_type: 'ring', device_model: 'Gen 3' });
    await sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    for (const collection_method of ['walk_in_test', 'testkit', 'at_home_phlebotomy', 'on_site_collection']) {
      const { order } = await sandbox.control.createOrder({ user_id, collection_method });
      await call(sandbox, `POST /v3/order/${order.id}/test`, { interpretation: 'critical' });
    }
    const { order } = await sandbox.control.createOrder({ user_id });
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const offer = await call(sandbox, 'POST /v3/order/psc/appointment/availability?lab=quest&site_codes=QNY1');
    const { slots } = offer.body as { slots: { slots: { booking_key: string }[] }[] };
    const booking_key = slots[0]?.slots[0]?.booking_key;
    await call(sandbox, `POST /v3/order/${order.id}/psc/appointment/book`, { booking_key });
    await sandbox.control.setAppointment(order.id, 'completed');
    await sandbox.control.redraw(order.id);

    const { messages } = await sandbox.control.messages();
    const bodies = await Promise.all(messages.map(async ({ id }) => (await sandbox.control.message(id)).body));
    expect(messages.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining([
        'provider.connection.created',
        'provider.connection.error',
        'provider.device.created',
        'historical.data.sleep.created',
        'daily.data.blood_pressure.created',
        'daily.data.mindfulness_minutes.created',
        'daily.data.sleep.updated',
        'labtest.order.created',
        'labtest.order.updated',
        'labtest.appointment.created',
        'labtest.appointment.updated',
        'labtest.result.critical',
      ]),
    );
    expect([...new Set(bodies.flatMap((body) => faultsOfEvent(JSON.parse(body))))]).toEqual([]);
  });
});
