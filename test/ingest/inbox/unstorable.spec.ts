import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, order, sleep, type User, uuid } from './support/events.js';

const NUL = '\u0000';

/** No compression makes it fit into an entry of an index. */
function incompressible(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x4e00 + (state % 20_000));
  }).join('');
}

describe('data that a database cannot store', () => {
  let inbox: TestApp;
  let user: User;

  beforeEach(async () => {
    inbox = await TestApp.create({ webhooks: false });
    const { user_id } = (await inbox.as('cust-1', 'POST', '/me/sign-in-token', {})).body;
    user = { user_id, client_user_id: 'cust-1', team_id: uuid(0xfff) };
  });

  afterEach(() => inbox.close());

  const send = async (type: string, data: unknown): Promise<void> => {
    const { team_id: _, ...envelope } = event(type, user, data);
    await deliver(inbox, envelope, { id: 'msg_a' });
    await processed(inbox);
  };
  const point = (minute: number, over: object = {}) => ({
    timestamp: `2026-11-20T08:0${minute}:00+00:00`,
    value: 5,
    unit: 'mmol/L',
    ...over,
  });

  it.each([
    ['a type with a NUL', 'glucose', { type: `a${NUL}b` }],
    ['a type too long for a key', 'glucose', { type: incompressible(900) }],
    ['an unknown field that is very long', 'glucose', { heard_of: incompressible(900) }],
    ['an unknown field of 2,500 letters', 'glucose', { heard_of: 'x'.repeat(2_500) }],
    ['a note with a NUL', 'note', { value: `a${NUL}b` }],
  ])('%s rejects that point, and the others are stored', async (_name, resource, bad) => {
    const good = resource === 'note' ? { value: 'fine' } : {};
    const data = [point(1, good), point(2, { ...good, ...bad }), point(3, good)];
    await send(`daily.data.${resource}.created`, { source: { provider: 'manual', type: 'app' }, data });
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done', attempts: 1 });
    expect(await countOf(inbox, 'samples')).toBe(2);
  });

  it('a NUL in an unknown field is stored, escaped as in any JSON', async () => {
    await send('daily.data.glucose.created', {
      source: { provider: 'manual', type: 'app' },
      data: [point(1, { heard_of: `a${NUL}b` })],
    });
    const [row] = await inbox.store.reader.rows<{ content: string }>('SELECT content FROM sample_attributes');
    expect(JSON.parse(row?.content ?? '')).toMatchObject({ heard_of: `a${NUL}b` });
  });

  it.each([
    [
      'a device of a source',
      'daily.data.glucose.created',
      () => ({
        source: { provider: 'manual', type: 'app', device_id: incompressible(900) },
        data: [point(1)],
      }),
    ],
    ['the id of a summary', 'daily.data.sleep.created', () => sleep(user, { id: incompressible(900) })],
    ['a NUL in the id of a summary', 'daily.data.sleep.created', () => sleep(user, { id: `a${NUL}b` })],
    ['the id of a device', 'provider.device.created', () => ({ id: incompressible(900), provider: 'oura' })],
    ['a NUL in the id of a device', 'provider.device.created', () => ({ id: `a${NUL}b`, provider: 'oura' })],
    ['the id of an order', 'labtest.order.created', () => order(user, incompressible(900), uuid(2))],
    ['a provider', 'provider.connection.created', () => ({ provider: { slug: incompressible(900) } })],
  ])('%s that cannot be a key is rejected at the first attempt', async (_name, type, data) => {
    await send(type, data());
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({
      status: 'dead',
      reason: 'unreadable_data',
      attempts: 1,
    });
  });

  it('a NUL in a text that is not a key is replaced', async () => {
    await send('provider.device.created', { id: uuid(1), provider: 'oura', device_model: `Ring${NUL}3` });
    expect(await messagesOf(inbox).byId('msg_a')).toMatchObject({ status: 'done' });
    expect(await inbox.store.reader.rows('SELECT model FROM devices')).toEqual([{ model: 'Ring\ufffd3' }]);
  });
});
