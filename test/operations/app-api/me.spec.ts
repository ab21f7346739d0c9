import type { MeDto } from '../../../src/operations/app-api/me.dto.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('GET /v1/me', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  it('creates the account and its upstream user once, on first use', async () => {
    const accountId = newAccountId();
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.as<MeDto>(accountId, 'GET', '/me')));
    const { users } = await app.sandbox.control.truthUsers();
    const made = users.filter((user) => user.client_user_id === accountId);
    expect(made).toHaveLength(1);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({
        account: {
          account_id: accountId,
          user_id: made[0]?.user_id,
          created_at: expect.stringMatching(/Z$/),
          time_zone: null,
        },
        sources: [],
        resources: [],
        not_synced: expect.arrayContaining(['steps', 'workouts']),
      });
      expect(body.not_synced).not.toContain('sleep');
    }
  });

  it('shows sources, the newest record of each resource and whether its history is complete', async () => {
    const accountId = newAccountId();
    await app.connect(accountId, 'oura', { days: 3, per_day: 2 });
    await app.advance(900, 10);
    const { body } = await app.as<MeDto>(accountId, 'GET', '/me');
    expect(body.sources).toMatchObject([{ provider: 'oura', status: 'connected', error_type: null }]);
    const sleep = body.resources.find(({ resource }) => resource === 'sleep');
    expect(sleep).toMatchObject({ provider: 'oura', history: 'complete' });
    const stored = await app.as<{ data: { time: string }[] }>(accountId, 'GET', '/me/records/sleep?limit=500');
    expect(sleep?.newest_at).toBe(stored.body.data.at(-1)?.time);
    expect(stored.body.data.length).toBeGreaterThan(0);
  });

  it('does not count a record with a future time as the newest one', async () => {
    const accountId = newAccountId();
    const login = await app.as<{ user_id: string }>(accountId, 'POST', '/me/sign-in-token', {});
    const at = (ahead: number): string => new Date(app.clock.now() + ahead).toISOString();
    const points = [-60_000, 15 * 3_600_000, 136 * 31_557_600_000].map((ahead) => ({
      timestamp: at(ahead),
      value: 60,
    }));
    const { user_id } = login.body;
    await app.sandbox.control.put({ user_id, provider: 'oura', resource: 'heartrate', points, notify: true });
    await app.settle();
    const { body } = await app.as<MeDto>(accountId, 'GET', '/me');
    expect(body.resources.flatMap((row) => (row.resource === 'heartrate' ? [row.newest_at] : []))).toEqual([
      at(-60_000),
    ]);
  });

  it('shows no data of another account', async () => {
    await app.connect('anna', 'oura', { days: 1, per_day: 1 });
    await app.advance(900, 10);
    expect((await app.as<MeDto>('bert', 'GET', '/me')).body).toMatchObject({ sources: [], resources: [] });
  });

  it('shows the person of a blocked account the stored data, but issues no token', async () => {
    await app.connect('anna', 'oura', { days: 1, per_day: 1 });
    await app.advance(900, 10);
    const before = await app.as('anna', 'GET', '/me/records/sleep');
    expect(before.body['data']).not.toEqual([]);
    await app.admin('POST', '/accounts/anna/block');
    expect((await app.as<MeDto>('anna', 'GET', '/me')).body.sources).toHaveLength(1);
    expect((await app.as('anna', 'GET', '/me/records/sleep')).body).toEqual(before.body);
    expect((await app.as('anna', 'GET', '/me/orders')).status).toBe(200);
    expect((await app.as('anna', 'POST', '/me/sign-in-token', {})).status).toBe(403);
  });

  it('is not cached and needs a login', async () => {
    expect((await app.as('anna', 'GET', '/me')).headers['cache-control']).toBe('private, no-cache');
    expect((await app.call('GET', '/v1/me')).status).toBe(401);
    expect((await app.call('GET', '/v1/me', 'Bearer operator-key')).status).toBe(401);
  });
});
