import { buffer } from 'node:stream/consumers';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import type { WireGroup } from '../../../src/upstream/client/wire-data.js';
import { apiKey, type ClientUnderTest, clientFor, errorOf, now } from './support/client.js';

const o = { priority: 'bulk' } as const;
const unknownId = '00000000-0000-4000-8000-00000000dead';

let sandbox: Sandbox;
let underTest: ClientUnderTest;
let client: UpstreamClient;

beforeEach(async () => {
  sandbox = await startSandbox({ seed: 'upstream-client', timeScale: 0, apiKey });
  underTest = clientFor(sandbox.url);
  client = underTest.client;
});
afterEach(async () => {
  underTest.transport.onApplicationShutdown();
  await sandbox.close();
});

async function newUser(clientUserId = 'cust-1'): Promise<string> {
  const creation = await client.createUser({ client_user_id: clientUserId }, o);
  return creation.outcome === 'created' ? creation.user.user_id : creation.user_id;
}

async function connectedUser(): Promise<string> {
  const user_id = await newUser();
  await sandbox.control.connect({ user_id, provider: 'oura', history: { days: 30, per_day: 10 } });
  await sandbox.control.advance(600);
  return user_id;
}

const refused = (status: number, shape?: string) => ({
  kind: 'rejected',
  status,
  ...(shape !== undefined && { detail: { shape } }),
});

describe('users', () => {
  it('are created, and adopted if they exist [users#create]', async () => {
    const input = {
      client_user_id: 'cust-1',
      fallback_time_zone: 'Europe/Vienna',
      fallback_birth_date: '1980-01-02',
      ingestion_start: '2026-01-01',
    };
    const creation = await client.createUser(input, o);
    if (creation.outcome !== 'created') throw new Error('not created');
    expect(creation.user).toMatchObject({
      client_user_id: 'cust-1',
      fallback_time_zone: { id: 'Europe/Vienna' },
      fallback_birth_date: { value: '1980-01-02' },
      ingestion_start: '2026-01-01',
      ingestion_end: null,
    });
    expect(await client.createUser(input, o)).toEqual({ outcome: 'exists', user_id: creation.user.user_id });
  });

  it('are not created beyond the limit or with a malformed field', async () => {
    await sandbox.control.configure({ user_limit: 1 });
    await newUser();
    const limit = await errorOf(client.createUser({ client_user_id: 'cust-2' }, o));
    expect(limit).toMatchObject({ kind: 'rejected', status: 400, detail: { shape: 'typed' } });
    const malformed = await errorOf(client.createUser({ client_user_id: 'c', ingestion_start: 'soon' }, o));
    expect(malformed).toMatchObject({ ...refused(422, 'validation'), detail: { locs: ['body.ingestion_start'] } });
  });

  it('survive a response lost after the create took effect [users#conflict]', async () => {
    await sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST', times: 1 });
    const creation = await client.createUser({ client_user_id: 'cust-1' }, o);
    expect(creation.outcome).toBe('exists');
  });

  it('are found by either id, and are null when unknown or deleted [users#look-up]', async () => {
    const userId = await newUser('needs escaping / ?');
    expect(await client.findUser(userId, o)).toMatchObject({ user_id: userId });
    expect(await client.resolveUser('needs escaping / ?', o)).toMatchObject({ user_id: userId });
    expect(await client.findUser(unknownId, o)).toBeNull();
    expect(await client.resolveUser('nobody', o)).toBeNull();
    expect(await errorOf(client.findUser('no-uuid', o))).toMatchObject({ kind: 'rejected', status: 422 });
    expect(await client.deleteUser(userId, o)).toBe(true);
    expect(await client.findUser(userId, o)).toBeNull();
    expect(await client.deleteUser(userId, o)).toBe(true);
    expect(await errorOf(client.deleteUser('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('are listed in pages; a page out of range is a plain 500 [errors-and-limits#sizes]', async () => {
    for (const id of ['a', 'b', 'c']) await newUser(id);
    const { users, ...counts } = await client.listUsers({ offset: 1, limit: 2 }, o);
    expect(users.map(({ client_user_id }) => client_user_id)).toEqual(['b', 'c']);
    expect(counts).toEqual({ total: 3, listed: 2 });
    const error = await errorOf(client.listUsers({ offset: 0, limit: 501 }, o));
    expect(error).toMatchObject({ kind: 'unavailable', status: 500, detail: { shape: 'plain_text' } });
  });

  it.each(['with', 'without'] as const)(
    'are created and listed if only the path %s a trailing slash is served [users#create]',
    async (user_slash) => {
      await sandbox.control.configure({ user_slash });
      const userId = await newUser('cust-1');
      const { users } = await client.listUsers({ offset: 0, limit: 10 }, o);
      expect(users.map(({ user_id }) => user_id)).toEqual([userId]);
    },
  );

  it('are patched; an empty patch and a taken id are refused [users#change]', async () => {
    await newUser('taken');
    const userId = await newUser('cust-1');
    await client.patchUser(userId, { ingestion_end: '2026-12-31' }, o);
    expect(await client.findUser(userId, o)).toMatchObject({ ingestion_end: '2026-12-31' });
    expect(await errorOf(client.patchUser(userId, {}, o))).toMatchObject(refused(400));
    expect(await errorOf(client.patchUser(userId, { client_user_id: 'taken' }, o))).toMatchObject(refused(409, 'text'));
    expect(await errorOf(client.patchUser(unknownId, { ingestion_end: null }, o))).toMatchObject(refused(404));
  });

  it('cannot be read with a wrong key', async () => {
    const other = await startSandbox({ timeScale: 0, apiKey: 'sk_us_another' });
    try {
      const stranger = clientFor(other.url);
      expect(await errorOf(stranger.client.findUser(unknownId, o))).toMatchObject({ kind: 'rejected', status: 401 });
      stranger.transport.onApplicationShutdown();
    } finally {
      await other.close();
    }
  });
});

describe('connections', () => {
  it('are listed, with their error, and deregistered [connections#deregister]', async () => {
    const user_id = await connectedUser();
    expect((await client.connections(user_id, o)).listed).toMatchObject([
      { slug: 'oura', status: 'connected', error_details: null },
    ]);
    await sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    expect((await client.connections(user_id, o)).listed).toMatchObject([
      { status: 'error', error_details: { error_type: 'token_refresh_failed' } },
    ]);
    expect(await client.deregisterProvider(user_id, 'oura', o)).toBe(true);
    expect((await client.connections(user_id, o)).listed).toEqual([]);
    expect(await client.deregisterProvider(user_id, 'oura', o)).toBe(true);
  });

  it('are refused for an unknown user and an unknown provider', async () => {
    const userId = await newUser();
    expect(await errorOf(client.connections(unknownId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.deregisterProvider(userId, 'no_such_provider', o))).toMatchObject(refused(422));
  });
});

describe('tokens', () => {
  it('are issued for an existing user', async () => {
    const user_id = await newUser();
    const signIn = await client.createSignInToken(user_id, o);
    expect(signIn).toMatchObject({ user_id });
    expect(signIn.sign_in_token).not.toBe('');
    const input = {
      user_id,
      provider: 'oura',
      filter_on_providers: ['oura'],
      redirect_url: 'https://app.example/done?attempt=1',
      on_error: 'redirect',
      on_close: 'redirect',
    } as const;
    const link = await client.createLinkToken({ ...input, filter_on_providers: [...input.filter_on_providers] }, o);
    expect(new URL(link.link_web_url).searchParams.get('token')).toBe(link.link_token);
  });

  it('are refused for an unknown user and an invalid redirect URL', async () => {
    const user_id = await newUser();
    expect(await errorOf(client.createSignInToken(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.createSignInToken('no-uuid', o))).toMatchObject({ kind: 'rejected' });
    expect(await errorOf(client.createLinkToken({ user_id: unknownId }, o))).toMatchObject(refused(404));
    const badAddress = client.createLinkToken({ user_id, redirect_url: 'nowhere' }, o);
    expect(await errorOf(badAddress)).toMatchObject({ detail: { shape: 'validation', locs: ['body.redirect_url'] } });
  });
});

describe('connection faults', () => {
  it.each([
    ['status', { status: 503 }, 1],
    // A call is sent again without a pause if a kept connection ends before the response begins.
    ['drop_before', {}, 0],
    ['truncate', {}, 0],
    ['plain_text_500', {}, 1],
  ] as const)('%s is survived once by a repeat', async (kind, more, pauses) => {
    const userId = await newUser();
    await sandbox.control.fault({ kind, path: '/v2/user', method: 'GET', times: 1, ...more });
    expect(await client.findUser(userId, o)).toMatchObject({ user_id: userId });
    expect(underTest.pauses).toHaveLength(pauses);
  });

  it.each(['bad_json', 'empty'] as const)('%s is a breach of contract', async (kind) => {
    const userId = await newUser();
    await sandbox.control.fault({ kind, path: '/v2/user', method: 'GET' });
    expect(await errorOf(client.findUser(userId, o))).toMatchObject({ kind: 'contract' });
  });

  it('a requested wait is returned to bulk work', async () => {
    await sandbox.control.fault({ kind: 'status', path: '/v2/user', status: 429, retry_after: 7 });
    const error = await errorOf(client.resolveUser('cust-1', o));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 7_000 });
  });
});
const day = 86_400_000;
const window = { start: now - 40 * day, end: now + day };

async function allGroups(userId: string, path: string): Promise<{ groups: WireGroup[]; pages: number }> {
  const groups: WireGroup[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await client.timeseriesPage(userId, path, { ...window, cursor }, o);
    groups.push(...page.groups);
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== null && pages < 1_000);
  return { groups, pages };
}

describe('health data', () => {
  it.each(['mindfulness_minutes', 'blood_pressure'])('%s is paged, every point once', async (resource) => {
    const userId = await connectedUser();
    const { groups, pages } = await allGroups(userId, resource);
    const points = groups.flatMap(({ data }) => data);
    const { rows } = await sandbox.control.truth(userId, resource);
    expect(pages).toBeGreaterThan(1);
    expect(points.length).toBe(rows.length);
    expect(new Set(groups.map(({ source }) => source.provider))).toEqual(new Set(['oura']));
  });

  it('is empty without a connection and filtered by provider', async () => {
    const lonely = await newUser('lonely');
    expect(await client.timeseriesPage(lonely, 'hrv', window, o)).toEqual({ groups: [], skipped: 0, nextCursor: null });
    const userId = await connectedUser();
    const other = await client.timeseriesPage(userId, 'blood_pressure', { ...window, provider: 'fitbit' }, o);
    expect(other.groups.flatMap(({ data }) => data)).toEqual([]);
  });

  it('is refused for an unknown user, resource or cursor [timeseries#the-call]', async () => {
    const userId = await newUser();
    expect(await errorOf(client.timeseriesPage(unknownId, 'hrv', window, o))).toMatchObject(refused(404));
    expect(await errorOf(client.timeseriesPage(userId, 'no_such', window, o))).toMatchObject({ kind: 'rejected' });
    const stale = client.timeseriesPage(userId, 'hrv', { ...window, cursor: 'garbage' }, o);
    expect(await errorOf(stale)).toMatchObject({ kind: 'rejected' });
  });

  it('has summaries under their keys, by time or by day, and the bare profile [webhooks#names-of-event-types]', async () => {
    const user_id = await connectedUser();
    const list = (path: string, responseKey: string | null, dateOnly = false) =>
      client.summaryList({ userId: user_id, path, responseKey, ...window, dateOnly }, o);
    const { rows } = await sandbox.control.truth<{ id: string }>(user_id, 'sleep');
    expect(rows.length).toBeGreaterThan(0);
    expect((await list('sleep', 'sleep')).map((row) => (row as { id: string }).id).sort()).toEqual(
      rows.map(({ id }) => id).sort(),
    );
    const lunch = { timestamp: '2026-11-19T12:00:00+00:00' };
    const night = { session_start: '2026-11-18T22:00:00+00:00', session_end: '2026-11-19T06:00:00+00:00' };
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'meal', summaries: [lunch] });
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'sleep_cycle', summaries: [night] });
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'profile', summaries: [{}] });
    expect(await list('meal', 'meals')).toHaveLength(1);
    expect(await list('sleep_cycle', 'sleep_cycle', true)).toHaveLength(1);
    expect(await list('profile', null)).toMatchObject([{ user_id }]);
    expect(await errorOf(list('sleep', 'naps'))).toMatchObject({ kind: 'contract', reason: 'missing_field' });
  });

  it('has no summaries of an unknown user and no profile where there is none [summaries#the-call]', async () => {
    const userId = await newUser();
    const sleep = { path: 'sleep', responseKey: 'sleep', ...window, dateOnly: false };
    expect(await errorOf(client.summaryList({ ...sleep, userId: unknownId }, o))).toMatchObject(refused(404));
    expect(await client.summaryList({ ...sleep, userId }, o)).toEqual([]);
    const profile = client.summaryList({ ...sleep, userId, path: 'profile', responseKey: null }, o);
    expect(await errorOf(profile)).toMatchObject(refused(404));
  });

  it('has the stream of a workout, and none of an unknown one', async () => {
    const user_id = await connectedUser();
    await sandbox.control.put({ user_id, provider: 'oura', resource: 'workouts', summaries: [{}] });
    const { rows } = await sandbox.control.truth<{ id: string }>(user_id, 'workouts');
    const [workout] = rows;
    if (!workout) throw new Error('no workout');
    expect(Object.values(await client.workoutStream(workout.id, o)).some(Array.isArray)).toBe(true);
    expect(await errorOf(client.workoutStream(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.workoutStream('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('shows how its history was pulled, page by page [errors-and-limits#sizes] [introspection#pages-of-pulls]', async () => {
    await sandbox.control.configure({ user_limit: null });
    const ids: string[] = [];
    // A page has 50 users.
    for (let number = 0; number < 51; number++) {
      const user_id = await newUser(`cust-${number}`);
      ids.push(user_id);
      await sandbox.control.connect({ user_id, provider: 'oura', pulls: { sleep: { outcome: 'failure' } } });
    }
    await sandbox.control.advance(3_600);
    const first = await client.historicalPulls({}, o);
    const second = await client.historicalPulls({ cursor: first.nextCursor }, o);
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([50, 1, null]);
    expect([...first.data, ...second.data].map(({ user_id }) => user_id).sort()).toEqual(ids.sort());
    const [record] = (await client.historicalPulls({ userId: String(ids[0]), provider: 'oura' }, o)).data;
    expect(record?.provider.oura?.pulled.sleep?.status).toBe('failure');
    expect(record?.provider.oura?.pulled.blood_pressure).toMatchObject({
      status: 'success',
      timeline: { ended_at: expect.any(String) as string },
    });
    expect(await errorOf(client.historicalPulls({ provider: 'no_such' }, o))).toMatchObject(refused(422, 'validation'));
    expect(await errorOf(client.historicalPulls({ cursor: 'garbage' }, o))).toMatchObject({ kind: 'rejected' });
  });
});

const address = { first_line: '1 Way', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' };
const patient = {
  first_name: 'Test',
  last_name: 'Person',
  dob: '1980-01-02',
  gender: 'female',
  phone_number: '+10000000000',
  email: 'test@example.org',
};

async function orderBody(): Promise<object> {
  const user_id = await newUser();
  const { lab_tests } = await sandbox.control.labTests();
  const labTest = lab_tests.find(({ method }) => method === 'walk_in_test');
  return {
    user_id,
    patient_details: patient,
    patient_address: address,
    order_set: { lab_test_ids: [labTest?.id] },
    collection_method: 'walk_in_test',
  };
}

describe('labs', () => {
  it.each(['body', 'query'] as const)('have slots, requested in the %s', async (place) => {
    await sandbox.control.configure({ availability_input: place });
    const near = { lab: 'quest', radius: '25', allow_stale: false };
    const zips = ['85004', '10001', '33101', '60601', '90001'];
    const found = await Promise.all(zips.map((zip_code) => client.availability({ ...near, zip_code }, place, o)));
    const days = found.flatMap(({ slots }) => slots);
    expect(days.length).toBeGreaterThan(0);
    expect(days.flatMap(({ slots }) => slots).length).toBeGreaterThan(0);
    const code = String(days[0]?.location?.code);
    expect((await client.availability({ ...near, site_codes: [code] }, place, o)).slots.length).toBeGreaterThan(0);
    expect(await client.availability({ ...near, zip_code: '00000' }, place, o)).toEqual({ slots: [], timezone: null });
    expect(await errorOf(client.availability({ ...near, site_codes: ['?', '?'] }, place, o))).toMatchObject(
      refused(400),
    );
    expect(await errorOf(client.availability({ ...near, zip_code: 'abc' }, place, o))).toMatchObject(
      refused(422, 'validation'),
    );
  });

  it('have a compendium in both modes', async () => {
    const canonical = await client.compendiumSearch({ mode: 'canonical', query: 'a', limit: 1 }, o);
    expect(canonical).toMatchObject({ mode: 'canonical', per_lab: {}, related: [] });
    const hash = canonical.selected_canonical?.loinc_set_hash;
    const crosswalk = await client.compendiumSearch({ mode: 'crosswalk', loinc_set_hash: hash, labs: ['quest'] }, o);
    expect(Object.keys(crosswalk.per_lab)).toEqual(['quest']);
    expect(crosswalk.related.length).toBeGreaterThan(0);
    const nothing = await client.compendiumSearch({ mode: 'canonical', query: 'no such test' }, o);
    expect(nothing).toMatchObject({ selected_canonical: null, canonical_candidates: [] });
    expect(await errorOf(client.compendiumSearch({ mode: 'canonical' }, o))).toMatchObject(refused(422));
    expect(await errorOf(client.compendiumSearch({ mode: 'no_mode', query: 'a' }, o))).toMatchObject(refused(422));
  });
});

describe('orders', () => {
  it('are placed once for one key, read and cancelled', async () => {
    const body = await orderBody();
    await sandbox.control.fault({ kind: 'drop_after', path: '/v3/order', method: 'POST', times: 1 });
    expect(await errorOf(client.createOrder(body, 'key-1', o))).toMatchObject({ kind: 'unavailable' });
    const { order } = await client.createOrder(body, 'key-1', o);
    expect((await client.createOrder(body, 'key-1', o)).order.id).toBe(order.id);
    expect(order).toMatchObject({ origin: 'initial', order_transaction: { status: 'active' } });
    expect(order.last_event?.status).toBe('received.walk_in_test.ordered');
    expect(await client.order(order.id, o)).toMatchObject({ id: order.id, origin: 'initial' });
    expect((await sandbox.control.truthOrders()).orders).toHaveLength(1);
    const cancelled = await client.cancelOrder(order.id, o);
    expect(cancelled.order.last_event?.status).toBe('cancelled.walk_in_test.cancelled');
    expect(await errorOf(client.cancelOrder(order.id, o))).toMatchObject(refused(400, 'order'));
    expect(await errorOf(client.cancelOrder(unknownId, o))).toMatchObject(refused(404));
  });

  it('are refused with the invalid fields, and unknown ones with 404', async () => {
    const body = await orderBody();
    const unplaced = client.createOrder({ ...body, patient_address: { ...address, zip: 'x' } }, 'key-1', o);
    expect(await errorOf(unplaced)).toMatchObject({
      ...refused(422),
      detail: { shape: 'validation', locs: ['body.patient_address.zip'] },
    });
    expect(await errorOf(client.order(unknownId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.order('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });

  it('are listed by filters given more than once, page by page', async () => {
    const user_id = await newUser();
    const placed = [];
    for (let i = 0; i < 3; i++) placed.push((await sandbox.control.createOrder({ user_id })).order.id);
    const order = { order_key: 'created_at', order_direction: 'asc' } as const;
    const first = await client.orders({ user_id, ...order, page: 1, size: 2 }, o);
    const second = await client.orders({ user_id, ...order, page: 2, size: 2 }, o);
    expect(first).toMatchObject({ total: 3, size: 2 });
    expect([...first.orders, ...second.orders].map(({ id }) => id).sort()).toEqual(placed.sort());
    const two = placed.slice(0, 2);
    expect((await client.orders({ order_ids: two, status: ['ordered', 'completed'] }, o)).orders).toHaveLength(2);
    expect(await errorOf(client.orders({ status: ['no_status'] }, o))).toMatchObject(refused(422));
    expect(await errorOf(client.orders({ size: 101 }, o))).toMatchObject({ kind: 'rejected' });
  });

  it('are linked by their transaction through a redraw, with results and PDF', async () => {
    const user_id = await newUser();
    const { order } = await sandbox.control.createOrder({ user_id, lab: 'quest', collection_method: 'walk_in_test' });
    const transactionId = order.order_transaction.id;
    expect(await errorOf(client.orderResult(order.id, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResult(transactionId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResultPdf(transactionId, o))).toMatchObject(refused(404, 'text'));
    expect(await errorOf(client.orderResultPdf(order.id, o))).toMatchObject(refused(404, 'text'));
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const { redraw } = await sandbox.control.redraw(order.id);
    const transaction = await client.orderTransaction(transactionId, o);
    expect(transaction).toMatchObject({ id: transactionId, status: 'active' });
    expect(transaction.orders.map(({ id, origin }) => [id, origin])).toEqual([
      [order.id, 'initial'],
      [redraw.id, 'redraw'],
    ]);
    expect(transaction.orders[0]?.low_level_status).toBe('redraw_available');
    await sandbox.control.walkOrder(redraw.id);
    expect(await client.orderTransaction(transactionId, o)).toMatchObject({ status: 'completed' });
    expect(await client.orderResult(redraw.id, o)).toMatchObject({ status: 'final' });
    const combined = await client.transactionResult(transactionId, o);
    expect(combined.order_transaction).toMatchObject({ id: transactionId });
    expect((combined.results as unknown[]).length).toBeGreaterThan(0);
    const { stream } = await client.transactionResultPdf(transactionId, o);
    expect((await buffer(stream)).subarray(0, 5).toString()).toBe('%PDF-');
    const { stream: ofOrder } = await client.orderResultPdf(redraw.id, o);
    expect((await buffer(ofOrder)).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await errorOf(client.orderTransaction(unknownId, o))).toMatchObject(refused(404));
    expect(await errorOf(client.transactionResultPdf('no-uuid', o))).toMatchObject({ kind: 'rejected' });
  });
});
