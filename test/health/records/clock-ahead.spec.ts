import { compareWithTruth } from '../../support/compare.js';
import { HOUR } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('what was stored while the clock was hours ahead', () => {
  const resource = 'blood_pressure';
  let app: TestApp;
  let anna: { account_id: string; user_id: string };

  beforeEach(async () => {
    app = await TestApp.create();
    anna = { account_id: 'anna', user_id: await app.connect('anna', 'oura', { days: 2, per_day: 4 }) };
    await app.advance(600);
    app.clock.step(4 * HOUR);
    await pullAgain();
    app.clock.step(-4 * HOUR);
  });

  afterEach(() => app.close());

  async function pullAgain(): Promise<void> {
    await app.admin('POST', '/accounts/anna/sync', { resources: [resource], start: '2026-11-10T00:00:00Z' });
    await app.settle();
  }

  it('is replaced by a pull once the clock is right', async () => {
    await app.sandbox.control.edit({ user_id: anna.user_id, resource, count: 3, notify: false });
    await pullAgain();
    expect(await compareWithTruth(app, anna, resource)).toMatchObject({ differing: 0, upstream: 8 });
  });

  it('is replaced by an event, without endless calls to upstream', async () => {
    await app.sandbox.control.edit({ user_id: anna.user_id, resource, count: 3 });
    await app.sandbox.control.clearCalls();
    await app.settle();
    expect(await compareWithTruth(app, anna, resource)).toMatchObject({ differing: 0, upstream: 8 });
    const { calls } = await app.sandbox.control.calls({ path: '/v2/timeseries' });
    expect(calls.length).toBeLessThan(5);
  });
});
