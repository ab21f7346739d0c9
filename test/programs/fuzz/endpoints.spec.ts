import { judge } from '../../../chaos/fuzz/judge.js';
import { type ApiDocument, Requests } from '../../../chaos/fuzz/requests.js';
import { Rng } from '../../../sandbox/engine/random.js';
import { adminKeys, webhookSecret } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/** More of them, and whether anything grows: `npm run fuzz`. */
const count = 1_000;

describe('requests from the OpenAPI document, valid, nearly valid and nonsense', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ sandbox: { seed: 'fuzz' } });
    await app.connect('fuzz-1', 'oura', { days: 3, per_day: 2 });
    await app.advance(600);
  });

  afterAll(() => app.close());

  it('get documented responses, none with 500 or more', async () => {
    const document = (await app.call<ApiDocument>('GET', '/openapi.json')).body;
    const { users } = await app.sandbox.control.truthUsers();
    await app.sandbox.control.createOrder({ user_id: users[0]?.user_id ?? '' });
    await app.settle();
    const credentials = { operator: adminKeys.operator, app: await app.appToken('fuzz-1'), webhookSecret };
    const requests = new Requests(document, new Rng('fuzz'), { ...credentials, now: () => app.clock.now() });
    for (const path of ['/accounts', '/orders', '/messages', '/sync/tasks']) {
      requests.learn((await app.admin('GET', path)).body);
    }
    const { faults, statuses } = await judge(app.url, document, requests, { from: 0, to: count, atOnce: 4 });
    expect(Object.fromEntries(faults)).toEqual({});
    expect(requests.size).toBeGreaterThan(70);
    expect([200, 201, 204, 400, 401, 404].filter((status) => !statuses.has(status))).toEqual([]);
  });
});
