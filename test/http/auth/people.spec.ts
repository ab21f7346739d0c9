import { createHash } from 'node:crypto';
import { SessionEntity } from '../../../src/http/auth/session.entity.js';
import { AdminKey } from '../../../src/platform/config/admin-key.js';
import { AdminConfig } from '../../../src/platform/config/config.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type Answer, type AnswerBody, callTo } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';
import { Browser } from './support/browser.js';
import { consoleClient, consoleSecret, OidcSetup } from './support/oidc-setup.js';

const jane = { email: 'jane@example.com', email_verified: true, groups: ['sre'] };
const guest = { email: 'guest@example.com', email_verified: true, groups: [] };

describe('people who sign in with their identity provider', () => {
  const provider = new OidcSetup({
    path: '',
    auth: ['client_secret_basic'],
    scopes: { profile: ['groups'], email: ['email', 'email_verified'] },
    person: jane,
    consoleCalls: true,
    token: { header: {}, claims: { aud: consoleClient, groups: jane.groups } },
  });
  let app: TestApp;

  beforeAll(async () => {
    await provider.listen();
    app = await TestApp.create({
      webhooks: false,
      // The identity provider lives by the real time.
      clock: new FakeClock(Date.now()),
      env: {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: consoleClient,
        OIDC_CLIENT_SECRET: consoleSecret,
        OIDC_ROLES: 'groups:sre=operator,groups:support=viewer',
      },
    });
    // It prints advice for production, also when it is loaded.
    for (const kind of ['info', 'warn'] as const) jest.spyOn(console, kind).mockReturnValue();
    await provider.serve(app.url);
  });

  beforeEach(() => {
    [provider.sub, provider.person] = ['sub-1', jane];
  });

  afterAll(async () => {
    await app.close();
    provider.close();
  });

  const who = async (browser: Browser): Promise<Answer> =>
    browser.get('/admin/v1/sessions/current', { 'x-pulsekeep-console': '1' });

  it('have a session with the role of their group, under their own name', async () => {
    const browser = new Browser(app.url);
    const { url } = await browser.open(`/console/sign-in?to=${encodeURIComponent('/console/messages?status=dead')}`);
    expect(`${url.pathname}${url.search}`).toBe('/console/messages?status=dead&signed_in=1');
    const { status, body } = await who(browser);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: 'jane@example.com', role: 'operator', kind: 'person' }),
    ]);
    const list = await browser.get('/admin/v1/access-log?limit=1', { 'x-pulsekeep-console': '1' });
    expect(list.status).toBe(200);
    const log = await app.admin<{ data: { actor: string; role: string }[] }>(
      'GET',
      '/access-log?actor=jane@example.com',
    );
    expect(log.body.data[0]).toMatchObject({ actor: 'jane@example.com', role: 'operator' });
    expect(JSON.stringify(await app.table(SessionEntity).all())).not.toContain('sub-1');
  });

  it('have no session without a role', async () => {
    [provider.sub, provider.person] = ['sub-2', guest];
    const browser = new Browser(app.url);
    const { url } = await browser.open('/console/sign-in');
    expect(url.search).toBe('?sign_in_failed=no_role');
    expect((await who(browser)).status).toBe(401);
  });

  it('are redirected only to pages of the console afterwards', async () => {
    for (const to of ['//evil.example', 'https://evil.example', '/console/../../evil', '/admin']) {
      const { url } = await new Browser(app.url).open(`/console/sign-in?to=${encodeURIComponent(to)}`);
      expect([to, url.origin]).toEqual([to, app.url]);
    }
  });

  it('are refused with a response that their browser did not request', async () => {
    const stranger = new Browser(app.url);
    const begun = await stranger.get('/console/sign-in');
    const { state } = Object.fromEntries(new URL(String(begun.headers['location'])).searchParams);
    const other = new Browser(app.url);
    const stolen = await other.open(`/console/callback?code=any&state=${state}`);
    expect(stolen.url.search).toBe('?sign_in_failed=expired');
    const forged = await stranger.open(`/console/callback?code=any&state=other`);
    expect(forged.url.search).toBe('?sign_in_failed=expired');
  });

  it('or strangers who fail to, however often, make one log line a minute for each reason', async () => {
    const lines = (): unknown[] =>
      app.logs
        .map((line) => JSON.parse(line) as { readonly event: string })
        .filter(({ event }) => event === 'session.sign_in_failed');
    const fail = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        const browser = new Browser(app.url);
        const begun = await browser.get('/console/sign-in');
        const state = new URL(String(begun.headers['location'])).searchParams.get('state');
        const { url } = await browser.open(`/console/callback?code=any&state=${state}`);
        expect(url.search).toBe('?sign_in_failed=refused');
      }
    };
    app.clock.advance(60_000);
    const before = lines().length;
    await fail(20);
    app.clock.advance(60_000);
    await fail(1);
    expect(lines().slice(before)).toMatchObject([{ reason: 'refused' }, { reason: 'refused', count: 20 }]);
  });

  it('get no failure of the service from a host that is none', async () => {
    const before = app.logs.length;
    for (const host of ['[', 'a b', 'x:y', '%']) {
      for (const path of ['/console/sign-in', '/console/callback?code=any&state=a', '/console/sign-out']) {
        const { status, body } = await callTo<AnswerBody>(app.url, { method: 'GET', path, headers: { host } });
        expect([host, path, status, body.code]).toEqual([host, path, 400, 'invalid_request']);
      }
    }
    expect(app.logs.slice(before).filter((line) => line.includes('http.request_failed'))).toEqual([]);
  });

  it('sign out at the identity provider, too', async () => {
    const { headers } = await new Browser(app.url).get('/console/sign-out');
    const end = new URL(String(headers['location']));
    expect([end.origin, end.searchParams.get('post_logout_redirect_uri')]).toEqual([
      provider.issuer,
      `${app.url}/console`,
    ]);
  });

  it('do not take away the form of a token from keys', async () => {
    const { keys } = app.get(AdminConfig);
    const given = keys.current;
    keys.replace([...given, new AdminKey('dotted', 'viewer', createHash('sha256').update('key.of.2026').digest())]);
    const { status, body } = await app.call('GET', '/admin/v1/sessions/current', 'Bearer key.of.2026');
    keys.replace(given);
    expect([status, body]).toEqual([200, expect.objectContaining({ name: 'dotted', kind: 'key' })]);
    expect((await app.call('GET', '/admin/v1/sessions/current', 'Bearer key.of.2027')).status).toBe(401);
  });

  it('call with an access token of the issuer for this service, and with no other token', async () => {
    const { access_token, id_token } = await provider.consoleTokens(app.url);
    const call = (token: string): Promise<Answer> => app.call('GET', '/admin/v1/sessions/current', `Bearer ${token}`);
    const { status, body } = await call(access_token);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: 'sub-1@127.0.0.1', role: 'operator', kind: 'person', session_id: null }),
    ]);
    const session = await app.call('POST', '/admin/v1/sessions', `Bearer ${access_token}`);
    expect([session.status, session.body.code]).toEqual([403, 'forbidden']);
    expect((await call(id_token)).status).toBe(401);
    expect((await call(`${access_token.slice(0, -6)}AAAAAA`)).status).toBe(401);
  });
});
