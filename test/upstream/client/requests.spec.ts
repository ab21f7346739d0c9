import type { UpstreamClient } from '../../../src/upstream/client/upstream.client.js';
import { apiKey, type ClientUnderTest, clientFor } from './support/client.js';
import { json, ScriptedServer } from './support/scripted-server.js';

const userId = '00000000-0000-4000-8000-000000000001';
const orderId = '00000000-0000-4000-8000-0000000000aa';
const o = { priority: 'interactive' } as const;
const start = Date.parse('2026-11-01T06:30:00.000Z');
const end = Date.parse('2026-11-02T06:30:00.000Z');
const user = { user_id: userId, client_user_id: 'cust-42' };
const order = { id: orderId, user_id: userId };

type Ask = (client: UpstreamClient) => Promise<unknown>;

/** The call, what goes out, and the answer it is given. */
const forms: [name: string, ask: Ask, sent: string, body: unknown, answer: unknown][] = [
  [
    'createUser',
    (c) => c.createUser({ client_user_id: 'cust-42', fallback_time_zone: 'Europe/Vienna' }, o),
    'POST /v2/user',
    { client_user_id: 'cust-42', fallback_time_zone: 'Europe/Vienna' },
    user,
  ],
  ['findUser', (c) => c.findUser(userId, o), `GET /v2/user/${userId}`, null, user],
  [
    'resolveUser',
    (c) => c.resolveUser('a/b ?#é', o),
    'GET /v2/user/resolve/a%2Fb%20%3F%23%C3%A9',
    null,
    { ...user, client_user_id: 'a/b ?#é' },
  ],
  [
    'listUsers',
    (c) => c.listUsers({ offset: 500, limit: 500 }, o),
    'GET /v2/user?offset=500&limit=500',
    null,
    { users: [user], total: 501, offset: 500, limit: 500 },
  ],
  [
    'patchUser',
    (c) => c.patchUser(userId, { ingestion_end: null }, o),
    `PATCH /v2/user/${userId}`,
    { ingestion_end: null },
    undefined,
  ],
  ['deleteUser', (c) => c.deleteUser(userId, o), `DELETE /v2/user/${userId}`, null, { success: true }],
  [
    'deregisterProvider',
    (c) => c.deregisterProvider(userId, 'oura', o),
    `DELETE /v2/user/${userId}/oura`,
    null,
    { success: true },
  ],
  ['connections', (c) => c.connections(userId, o), `GET /v2/user/providers/${userId}`, null, { providers: [] }],
  [
    'createSignInToken',
    (c) => c.createSignInToken(userId, o),
    `POST /v2/user/${userId}/sign_in_token`,
    null,
    { user_id: userId, sign_in_token: 't' },
  ],
  [
    'createLinkToken',
    (c) => c.createLinkToken({ user_id: userId, filter_on_providers: ['oura', 'fitbit'], on_close: 'redirect' }, o),
    'POST /v2/link/token',
    { user_id: userId, filter_on_providers: ['oura', 'fitbit'], on_close: 'redirect' },
    { link_token: 't', link_web_url: 'https://link.example' },
  ],
  [
    'timeseriesPage, first page',
    (c) => c.timeseriesPage(userId, 'blood_pressure', { start, end }, o),
    `GET /v2/timeseries/${userId}/blood_pressure/grouped?start_date=2026-11-01T06%3A30%3A00.000Z&end_date=2026-11-02T06%3A30%3A00.000Z`,
    null,
    { groups: {} },
  ],
  [
    'timeseriesPage, later page',
    (c) => c.timeseriesPage(userId, 'blood_pressure', { start, end, provider: 'omron', cursor: 'a+b/c==' }, o),
    `GET /v2/timeseries/${userId}/blood_pressure/grouped?start_date=2026-11-01T06%3A30%3A00.000Z&end_date=2026-11-02T06%3A30%3A00.000Z&provider=omron&next_cursor=a%2Bb%2Fc%3D%3D`,
    null,
    { groups: {} },
  ],
  [
    'summaryList',
    (c) => c.summaryList({ userId, path: 'sleep', responseKey: 'sleep', start, end, dateOnly: false }, o),
    `GET /v2/summary/sleep/${userId}?start_date=2026-11-01T06%3A30%3A00.000Z&end_date=2026-11-02T06%3A30%3A00.000Z`,
    null,
    { sleep: [] },
  ],
  [
    'summaryList of a resource that takes days',
    (c) =>
      c.summaryList(
        { userId, path: 'sleep_cycle', responseKey: 'sleep_cycle', start, end, provider: 'oura', dateOnly: true },
        o,
      ),
    `GET /v2/summary/sleep_cycle/${userId}?start_date=2026-11-01&end_date=2026-11-02&provider=oura`,
    null,
    { sleep_cycle: [] },
  ],
  [
    'summaryList of the profile',
    (c) => c.summaryList({ userId, path: 'profile', responseKey: null, start, end, dateOnly: false }, o),
    `GET /v2/summary/profile/${userId}`,
    null,
    { id: 'p' },
  ],
  [
    'timeseriesAnswer',
    (c) => c.timeseriesAnswer(userId, 'blood_pressure', { start, end, provider: 'omron', cursor: 'a+b/c==' }, o),
    `GET /v2/timeseries/${userId}/blood_pressure/grouped?start_date=2026-11-01T06%3A30%3A00.000Z&end_date=2026-11-02T06%3A30%3A00.000Z&provider=omron&next_cursor=a%2Bb%2Fc%3D%3D`,
    null,
    { groups: {} },
  ],
  [
    'summaryAnswer',
    (c) =>
      c.summaryAnswer({ userId, path: 'meal', responseKey: 'meals', start, end, provider: 'oura', dateOnly: false }, o),
    `GET /v2/summary/meal/${userId}?start_date=2026-11-01T06%3A30%3A00.000Z&end_date=2026-11-02T06%3A30%3A00.000Z&provider=oura`,
    null,
    { meals: [] },
  ],
  ['workoutStream', (c) => c.workoutStream(orderId, o), `GET /v2/timeseries/workouts/${orderId}/stream`, null, {}],
  [
    'historicalPulls',
    (c) => c.historicalPulls({ userId, provider: 'oura', cursor: null }, o),
    `GET /v2/introspect/historical_pull?user_id=${userId}&provider=oura`,
    null,
    { data: [], next: null, next_cursor: null },
  ],
  [
    'ingestionState',
    (c) => c.ingestionState({ userLimit: 50, cursor: 'next' }, o),
    'GET /v2/introspect/resources?user_limit=50&next_cursor=next',
    null,
    { data: [], next: null, next_cursor: null },
  ],
  ['devices', (c) => c.devices(userId, o), `GET /v2/user/${userId}/device`, null, []],
  [
    'sourcePriorities',
    (c) => c.sourcePriorities('sleep', o),
    'GET /v2/team/source/priorities?data_type=sleep',
    null,
    [],
  ],
  [
    'availability',
    (c) => c.availability({ lab: 'quest', site_codes: ['A', 'B'], radius: '25', allow_stale: false }, 'body', o),
    'POST /v3/order/psc/appointment/availability',
    { lab: 'quest', site_codes: ['A', 'B'], radius: '25', allow_stale: false },
    { slots: [], timezone: null },
  ],
  [
    'compendiumSearch',
    (c) => c.compendiumSearch({ mode: 'canonical', query: 'iron', limit: 3 }, o),
    'POST /v3/compendium/search',
    { mode: 'canonical', query: 'iron', limit: 3 },
    { mode: 'canonical' },
  ],
  [
    'convertTests',
    (c) => c.convertTests({ provider_ids: ['496'], target_lab: 'quest', limit: 3 }, o),
    'POST /v3/compendium/convert',
    { provider_ids: ['496'], target_lab: 'quest', limit: 3 },
    { target_lab_id: 1, target_lab_slug: 'quest' },
  ],
  [
    'labTests, first page',
    (c) => c.labTests({ limit: 50, cursor: null }, o),
    'GET /v3/lab_test?lab_test_limit=50',
    null,
    { data: [], next_cursor: null },
  ],
  [
    'labTests, later page',
    (c) => c.labTests({ limit: 20, cursor: 'a+b' }, o),
    'GET /v3/lab_test?lab_test_limit=20&next_cursor=a%2Bb',
    null,
    { data: [], next_cursor: null },
  ],
  ['labTest', (c) => c.labTest(orderId, o), `GET /v3/lab_tests/${orderId}`, null, { id: orderId }],
  [
    'labTestMarkers',
    (c) => c.labTestMarkers(orderId, 2, o),
    `GET /v3/lab_tests/${orderId}/markers?page=2`,
    null,
    { markers: [] },
  ],
  [
    'areaInfo',
    (c) => c.areaInfo({ zip_code: '10001', radius: '25', lab: 'quest' }, o),
    'GET /v3/order/area/info?zip_code=10001&radius=25&lab=quest',
    null,
    { zip_code: '10001', phlebotomy: { is_served: false, providers: [] }, central_labs: {} },
  ],
  [
    'placeInfo',
    (c) => c.placeInfo({ zip_code: '10001', lab_id: 6, radius: '25' }, o),
    'GET /v3/order/psc/info?zip_code=10001&lab_id=6&radius=25',
    null,
    { lab_id: 6, slug: 'quest', patient_service_centers: [] },
  ],
  [
    'orderPlaceInfo',
    (c) => c.orderPlaceInfo(orderId, o),
    `GET /v3/order/${orderId}/psc/info`,
    null,
    { lab_id: 6, slug: 'quest', patient_service_centers: [] },
  ],
  [
    'parsingJob',
    (c) => c.parsingJob('job-1', o),
    'GET /lab_report/v1/parser/job/job-1',
    null,
    { id: 'job-1', status: 'started' },
  ],
  ['order', (c) => c.order(orderId, o), `GET /v3/order/${orderId}`, null, order],
  [
    'orders',
    (c) => c.orders({ status: ['ordered', 'completed'], order_direction: 'asc', page: 2, size: 100 }, o),
    'GET /v3/orders?status=ordered&status=completed&order_direction=asc&page=2&size=100',
    null,
    { orders: [order] },
  ],
  [
    'orderResult',
    (c) => c.orderResult(orderId, o),
    `GET /v3/order/${orderId}/result`,
    null,
    { metadata: {}, results: [] },
  ],
  [
    'orderTransaction',
    (c) => c.orderTransaction(orderId, o),
    `GET /v3/order_transaction/${orderId}`,
    null,
    { id: orderId, status: 'active' },
  ],
  [
    'transactionResult',
    (c) => c.transactionResult(orderId, o),
    `GET /v3/order_transaction/${orderId}/result`,
    null,
    { metadata: {}, results: [] },
  ],
  ['createOrder', (c) => c.createOrder({ a: 1 }, 'key-1', o), 'POST /v3/order', { a: 1 }, { order, status: 's' }],
  ['cancelOrder', (c) => c.cancelOrder(orderId, o), `POST /v3/order/${orderId}/cancel`, null, { order }],
];

describe('the requests of the client', () => {
  let server: ScriptedServer;
  let underTest: ClientUnderTest;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    underTest = clientFor(server.url);
  });
  afterEach(async () => {
    underTest.transport.onApplicationShutdown();
    await server.close();
  });

  it.each(forms)('%s [environments#versions] [timeseries#bounds-of-a-window]', async (_, ask, sent, body, answer) => {
    server.answer(answer === undefined ? (response) => void response.writeHead(204).end() : json(200, answer));
    await ask(underTest.client);
    const { method, url, headers } = server.last;
    expect(`${method} ${url}`).toBe(sent);
    expect(server.last.body).toBe(body === null ? '' : JSON.stringify(body));
    expect(headers['content-type']).toBe(body === null ? undefined : 'application/json');
    expect(headers).toMatchObject({ accept: 'application/json', 'x-service-api-key': apiKey });
    expect(headers.authorization).toBeUndefined();
  });

  it('include a case above for every method but the PDFs and the upload', () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(underTest.client) as object);
    const shown = new Set(forms.map(([name]) => name.split(/[ ,]/)[0]));
    const missing = methods.filter((name) => !shown.has(name));
    expect(missing.sort()).toEqual([
      'ask',
      'constructor',
      'createParsingJob',
      'labTestInstructionsPdf',
      'orderDocumentPdf',
      'orderResultPdf',
      'pdf',
      'transactionResultPdf',
    ]);
  });

  it('send a lab report as a form, with names and types of our own [parsing#upload]', async () => {
    server.answer(json(200, { id: 'Job-1', status: 'upload_pending' }));
    const files = [
      { type: 'image/png', bytes: Buffer.from('one') },
      { type: 'image/jpeg', bytes: Buffer.from('two') },
    ] as const;
    const job = await underTest.client.createParsingJob({ userId, files, needsHumanReview: true }, o);
    expect(job).toMatchObject({ status: 'upload_pending' });
    const { method, url, headers, body } = server.last;
    expect([method, url]).toEqual(['POST', '/lab_report/v1/parser/job']);
    const form = await new Response(body, { headers: { 'content-type': String(headers['content-type']) } }).formData();
    expect([form.get('user_id'), form.get('needs_human_review')]).toEqual([userId, 'true']);
    const sent = form.getAll('file') as unknown as { name: string; type: string; text: () => Promise<string> }[];
    expect(await Promise.all(sent.map(async (file) => [file.name, file.type, await file.text()]))).toEqual([
      ['page-1.png', 'image/png', 'one'],
      ['page-2.jpg', 'image/jpeg', 'two'],
    ]);
  });

  it('send availability as a query with repeated keys', async () => {
    server.answer(json(200, { slots: [], timezone: null }));
    const asked = { lab: 'quest', site_codes: ['A', 'B'], radius: '25', allow_stale: true };
    await underTest.client.availability(asked, 'query', o);
    expect(server.last.url).toBe(
      '/v3/order/psc/appointment/availability?lab=quest&site_codes=A&site_codes=B&radius=25&allow_stale=true',
    );
    expect(server.last.body).toBe('');
  });

  it('have the idempotency headers for a placed order, and the key in the configured header [environments#authentication]', async () => {
    server.answer(json(200, { order }));
    const { client } = clientFor(server.url, { apiKeyHeader: 'x-other-key' });
    await client.createOrder({}, 'key-1', o);
    expect(server.last.headers).toMatchObject({
      'x-idempotency-key': 'key-1',
      'x-idempotency-error': 'no-cache',
      'x-other-key': apiKey,
    });
    expect(server.last.headers['x-service-api-key']).toBeUndefined();
  });

  it('keep a path of the base address [environments#authentication]', async () => {
    server.answer(json(200, user));
    await clientFor(`${server.url}/gateway`).client.findUser(userId, o);
    expect(server.last.url).toBe(`/gateway/v2/user/${userId}`);
  });

  it('are not sent for an id that would address something else', async () => {
    server.answer(json(200, user));
    for (const id of ['', '.', '..']) {
      await expect(underTest.client.findUser(id, o)).rejects.toMatchObject({
        kind: 'rejected',
        reason: 'not_sendable',
      });
    }
    await expect(underTest.client.createOrder({}, 'a\r\nb', o)).rejects.toMatchObject({ reason: 'not_sendable' });
    expect(server.received).toEqual([]);
  });

  it('are refused while the network gate is closed', async () => {
    server.answer(json(200, user));
    underTest.gate.closeWhen(() => true);
    await expect(underTest.client.findUser(userId, o)).rejects.toMatchObject({ code: 'lane_refused' });
    expect(server.received).toEqual([]);
  });
});
