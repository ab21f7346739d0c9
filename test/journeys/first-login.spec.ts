import { compareWithTruth } from '../support/compare.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

describe('from first login to first record', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  it('signs a new user in, links a source, pulls its history and shows it to its owner only [environments#service] [linking-and-tokens#link-token] [linking-and-tokens#sign-in-token]', async () => {
    const account_id = newAccountId();
    const login = await app.as<{ user_id: string; sign_in_token: string }>(account_id, 'POST', '/me/sign-in-token', {
      installation_id: 'phone-1',
    });
    expect(login.status).toBe(201);
    expect(Object.keys(login.body).sort()).toEqual(['sign_in_token', 'user_id']);
    expect(login.headers['cache-control']).toBe('no-store');

    const link = await app.as<{ link_token: string; link_attempt_id: string }>(account_id, 'POST', '/me/link-token', {
      provider: 'oura',
      redirect_url: 'https://app.example.com/linked?from=wizard',
    });
    expect(link.status).toBe(201);
    const linked = await app.sandbox.control.link({
      link_token: link.body.link_token,
      provider: 'oura',
      history: { days: 30, per_day: 6 },
    });
    expect(linked.redirect_to).toContain(link.body.link_attempt_id);
    const outcome = await app.as(account_id, 'POST', '/me/link-outcomes', {
      link_attempt_id: link.body.link_attempt_id,
      outcome: 'success',
      metadata: { anything: ['goes'] },
    });
    expect(outcome.status).toBe(202);

    await app.advance(900, 10);

    const me = await app.as<{ sources: { provider: string; status: string }[] }>(account_id, 'GET', '/me');
    expect(me.status).toBe(200);
    expect(JSON.stringify(me.body)).toContain('"oura"');
    for (const resource of ['sleep', 'mindfulness_minutes', 'blood_pressure']) {
      const { upstream, stored, differing } = await compareWithTruth(
        app,
        { account_id, user_id: login.body.user_id },
        resource,
      );
      expect([resource, differing, stored]).toEqual([resource, 0, upstream]);
      expect(upstream).toBeGreaterThan(10);
      const own = await app.as<{ data: unknown[] }>(account_id, 'GET', `/me/records/${resource}?limit=5`);
      expect(own.body.data).toHaveLength(5);
    }

    const stranger = await app.as<{ data: unknown[] }>(newAccountId(), 'GET', '/me/records/sleep');
    expect([stranger.status, stranger.body.data]).toEqual([200, []]);
  });

  it('creates one upstream user however many calls race for a new account', async () => {
    const account_id = newAccountId();
    const logins = await Promise.all(
      Array.from({ length: 40 }, () => app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})),
    );
    expect(new Set(logins.map((login) => login.status))).toEqual(new Set([201]));
    expect(new Set(logins.map((login) => login.body.user_id)).size).toBe(1);
    const { users } = await app.sandbox.control.truthUsers();
    expect(users.filter((user) => user.client_user_id === account_id)).toHaveLength(1);
  });

  it('returns clear problems to a caller without a login, or with one that is not an account id', async () => {
    const without = await app.call<{ code: string }>('POST', '/v1/me/sign-in-token', undefined, {});
    expect([without.status, without.body.code]).toEqual([401, 'unauthorized']);
    const mail = await app.as<{ code: string }>('someone@example.com', 'POST', '/me/sign-in-token', {});
    expect([mail.status, mail.body.code]).toEqual([400, 'account_id_not_allowed']);
    const unknown = await app.as<{ errors: { field: string }[] }>(newAccountId(), 'POST', '/me/link-token', {
      providr: 'oura',
    });
    expect([unknown.status, unknown.body.errors.map((error) => error.field)]).toEqual([400, ['providr']]);
  });

  it('accepts a login without a body, with or without a content type, and otherwise only JSON', async () => {
    const authorization = `Bearer ${await app.appToken(newAccountId())}`;
    const post = (headers: Record<string, string>, body?: string) =>
      fetch(`${app.url}/v1/me/sign-in-token`, { method: 'POST', headers: { authorization, ...headers }, body });
    const json = { 'content-type': 'application/json' };
    const answers = [
      await post({}),
      await post(json),
      await post(json, '{"installation_id":'),
      await post(json, '[]'),
      await post({ 'content-type': 'text/plain' }, 'installation_id=1'),
      await post({ 'content-type': 'application/x-www-form-urlencoded' }, 'installation_id=1'),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 400, 400, 415, 415]);
  });

  it('adopts the upstream user after a crash between the two systems', async () => {
    const account_id = newAccountId();
    await app.sandbox.control.fault({ method: 'POST', path: '/v2/user', kind: 'drop_after', times: 50 });
    const lost = await app.as(account_id, 'POST', '/me/sign-in-token', {});
    expect(lost.status).toBeGreaterThanOrEqual(500);
    await app.sandbox.control.clearFaults();
    const again = await TestApp.create({
      database: app.database,
      upstream: app.sandbox,
      clock: app.clock,
      env: app.database.config.kind === 'sqlite' ? { DATABASE_URL: `sqlite:${app.database.config.path}.other` } : {},
    });
    const login = await again.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {});
    await again.close();
    const { users } = await app.sandbox.control.truthUsers();
    const made = users.filter((user) => user.client_user_id === account_id);
    expect(made.map((user) => user.user_id)).toEqual([login.body.user_id]);
    const same = await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {});
    expect(same.body.user_id).toBe(login.body.user_id);
  });

  it('reports that the sandbox environment is full', async () => {
    await app.sandbox.control.createUsers({ count: 50 });
    const refused = await app.as<{ code: string; detail: string }>(newAccountId(), 'POST', '/me/sign-in-token', {});
    expect([refused.status, refused.body.code]).toEqual([409, 'upstream_user_limit']);
  });
});
