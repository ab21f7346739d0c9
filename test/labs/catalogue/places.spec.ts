import { newAccountId } from '../../support/environment.js';
import { orderBody, place } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';

type Body = Record<string, unknown> & {
  code?: string;
  data: { id: number; questions: { id: number; required: boolean }[] }[];
};

const unknownId = '00000000-0000-4000-8000-00000000dead';

let app: TestApp;
let account_id: string;

beforeAll(async () => {
  app = await TestApp.create();
  account_id = newAccountId();
  await app.as(account_id, 'POST', '/me/sign-in-token', {});
});

afterEach(() => app.sandbox.control.clearFaults());

afterAll(() => app.close());

const admin = (path: string) => app.admin<Body>('GET', path, undefined, 'backend');
const own = (path: string, account = account_id) => app.as<Body>(account, 'GET', path);

describe.each([
  ['the backend', admin],
  ['the app', own],
])('places, for %s', (_, get) => {
  it('include what is served around a zip code [appointments#places]', async () => {
    const { status, body } = await get('/labs/areas?zip_code=10001&lab=quest');
    expect([status, body]).toMatchObject([
      200,
      {
        zip_code: '10001',
        phlebotomy: { is_served: true, providers: [{ name: 'phlebfinders' }] },
        central_labs: { quest: { patient_service_centers: { within_radius: 2, radius: '25' } } },
      },
    ]);
  });

  it('include the patient service centers of a lab [appointments#places]', async () => {
    const { status, body } = await get('/labs/places?zip_code=10001&lab_id=6&radius=50');
    expect([status, body]).toMatchObject([
      200,
      { lab_id: 6, slug: 'quest', patient_service_centers: [{ metadata: { name: 'Center One' }, distance: 1 }, {}] },
    ]);
  });

  it.each([
    '/labs/areas',
    '/labs/areas?zip_code=1001',
    '/labs/areas?zip_code=10001&radius=far',
    '/labs/places?zip_code=10001',
    '/labs/places?zip_code=10001&lab_id=x',
    '/labs/places?zip_code=10001&lab_id=6&lab=quest',
  ])('are refused without a call when %s is asked for', async (path) => {
    await app.sandbox.control.clearCalls();
    expect(await get(path)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await app.sandbox.control.calls({ path: '/v3/order' })).calls).toEqual([]);
  });

  it('of an unknown lab are a refusal of upstream, and a problem while it is down', async () => {
    expect(await get('/labs/places?zip_code=10001&lab_id=99')).toMatchObject({
      status: 422,
      body: { code: 'upstream_invalid_request' },
    });
    await app.sandbox.control.fault({ kind: 'status', status: 503, path: '/v3/order/area/info' });
    expect(await get('/labs/areas?zip_code=10002')).toMatchObject({
      status: 503,
      body: { code: 'upstream_unavailable' },
    });
  });
});

describe('places of an order', () => {
  it('are shown to the backend and to the person whom it is for, and to nobody else [appointments#places]', async () => {
    const body = { ...(await orderBody(app.sandbox.control)), account_id };
    const { order_id } = (await place(app, 'an-order', body)).body;
    for (const answer of [await admin(`/orders/${order_id}/places`), await own(`/me/orders/${order_id}/places`)]) {
      expect(answer).toMatchObject({ status: 200, body: { slug: 'quest', patient_service_centers: [{}, {}] } });
    }
    const stranger = newAccountId();
    await app.as(stranger, 'POST', '/me/sign-in-token', {});
    expect(await own(`/me/orders/${order_id}/places`, stranger)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(await admin(`/orders/${unknownId}/places`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('questions on order entry', () => {
  it('are in the markers of the test, and an order without a required answer is refused [orders#questions]', async () => {
    const { lab_tests } = await app.sandbox.control.labTests();
    const id = String(lab_tests.find(({ slug }) => slug === 'hormone-panel')?.id);
    const { status, body } = await admin(`/labs/tests/${id}/markers`);
    expect([status, body.data]).toMatchObject([
      200,
      [
        {
          name: 'Estradiol',
          lab_id: 8,
          questions: [
            { type: 'choice', required: true, answers: [{ code: 'Y' }, { code: 'N' }] },
            { type: 'text', required: false, answers: [] },
          ],
        },
      ],
    ]);
    const [marker] = body.data;
    const order = { ...(await orderBody(app.sandbox.control)), account_id, order_set: { lab_test_ids: [id] } };
    const refused = await place(app, 'with-questions', order);
    expect([refused.status, refused.body.code]).toEqual([422, 'order_refused']);
    const answer = { marker_id: marker?.id, question_id: marker?.questions[0]?.id, answer: 'N' };
    expect((await place(app, 'with-questions', { ...order, aoe_answers: [answer] })).status).toBe(201);
  });

  it('are not found for an unknown test', async () => {
    expect(await admin(`/labs/tests/${unknownId}/markers`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
