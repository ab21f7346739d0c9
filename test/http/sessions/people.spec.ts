import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Provider from 'oidc-provider';
import { SessionEntity } from '../../../src/http/sessions/session.entity.js';
import { AdminKey } from '../../../src/platform/config/admin-key.js';
import { AdminConfig } from '../../../src/platform/config/config.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type Answer, type AnswerBody, callTo } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';
import { Browser } from './support/browser.js';

interface Person {
  readonly email: string;
  readonly groups: readonly string[];
}

const people: Readonly<Record<string, Person>> = {
  'sub-1': { email: 'jane@example.com', groups: ['sre'] },
  'sub-2': { email: 'guest@example.com', groups: [] },
};

const clientId = 'pulsekeep-console';
const resource = 'urn:example:console';
const clientSecret = 'a-secret-of-the-client-of-this-test';

describe('people who sign in with their identity provider', () => {
  let server: Server;
  let issuer: string;
  let signedIn: string;
  let app: TestApp;

  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app = await TestApp.create({
      webhooks: false,
      // The identity provider lives by the real time.
      clock: new FakeClock(Date.now()),
      env: {
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
        OIDC_ROLES: 'groups:sre=operator,groups:support=viewer',
      },
    });
    // It prints advice for production, also when it is loaded.
    for (const kind of ['info', 'warn'] as const) jest.spyOn(console, kind).mockReturnValue();
    const { default: OidcProvider } = await import('oidc-provider');
    const provider = new OidcProvider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${app.url}/console/callback`],
          post_logout_redirect_uris: [`${app.url}/console`],
          grant_types: ['authorization_code'],
        },
      ],
      claims: { openid: ['sub'], profile: ['groups'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of this test'] },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          getResourceServerInfo: () => ({
            scope: 'openid',
            audience: clientId,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
          useGrantedResource: () => true,
        },
      },
      extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => ({
        groups: people[String(accountId)]?.groups,
      }),
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, email_verified: true, ...people[sub], groups: [...(people[sub]?.groups ?? [])] }),
      }),
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    });
    const handle = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
      void agree(provider, request, response);
    });
  });

  afterAll(async () => {
    await app.close();
    server.close();
  });

  /** Says that `signedIn` signed in and consents, as the page of the identity provider would. */
  async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: signedIn, clientId });
    grant.addOIDCScope(String(params['scope']));
    grant.addResourceScope(resource, 'openid');
    await provider.interactionFinished(request, response, {
      login: { accountId: signedIn },
      consent: { grantId: await grant.save() },
    });
  }

  const who = async (browser: Browser): Promise<Answer<string>> =>
    browser.get(new URL(`${app.url}/admin/v1/sessions/current`), { 'x-pulsekeep-console': '1' });

  it('have a session with the role of their group, under their own name', async () => {
    signedIn = 'sub-1';
    const browser = new Browser();
    const { url } = await browser.open(
      `${app.url}/console/sign-in?to=${encodeURIComponent('/console/messages?status=dead')}`,
    );
    expect(`${url.pathname}${url.search}`).toBe('/console/messages?status=dead&signed_in=1');
    const { status, body } = await who(browser);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: 'jane@example.com', role: 'operator', kind: 'person' }),
    ]);
    const list = await browser.get(new URL(`${app.url}/admin/v1/access-log?limit=1`), { 'x-pulsekeep-console': '1' });
    expect(list.status).toBe(200);
    const log = await app.admin<{ data: { actor: string; role: string }[] }>(
      'GET',
      '/access-log?actor=jane@example.com',
    );
    expect(log.body.data[0]).toMatchObject({ actor: 'jane@example.com', role: 'operator' });
    expect(JSON.stringify(await app.table(SessionEntity).all())).not.toContain('sub-1');
  });

  it('have no session without a role', async () => {
    signedIn = 'sub-2';
    const browser = new Browser();
    const { url } = await browser.open(`${app.url}/console/sign-in`);
    expect(url.search).toBe('?sign_in_failed=no_role');
    expect((await who(browser)).status).toBe(401);
  });

  it('are redirected only to pages of the console afterwards', async () => {
    signedIn = 'sub-1';
    for (const to of ['//evil.example', 'https://evil.example', '/console/../../evil', '/admin']) {
      const { url } = await new Browser().open(`${app.url}/console/sign-in?to=${encodeURIComponent(to)}`);
      expect([to, url.origin]).toEqual([to, app.url]);
    }
  });

  it('are refused with a response that their browser did not request', async () => {
    signedIn = 'sub-1';
    const stranger = new Browser();
    const begun = await stranger.get(new URL(`${app.url}/console/sign-in`));
    const { state } = Object.fromEntries(new URL(String(begun.headers['location'])).searchParams);
    const other = new Browser();
    const stolen = await other.open(`${app.url}/console/callback?code=any&state=${state}`);
    expect(stolen.url.search).toBe('?sign_in_failed=expired');
    const forged = await stranger.open(`${app.url}/console/callback?code=any&state=other`);
    expect(forged.url.search).toBe('?sign_in_failed=expired');
  });

  it('or strangers who fail to, however often, make one log line a minute for each reason', async () => {
    const lines = (): unknown[] =>
      app.logs
        .map((line) => JSON.parse(line) as { readonly event: string })
        .filter(({ event }) => event === 'session.sign_in_failed');
    const fail = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        const browser = new Browser();
        const begun = await browser.get(new URL(`${app.url}/console/sign-in`));
        const state = new URL(String(begun.headers['location'])).searchParams.get('state');
        const { url } = await browser.open(`${app.url}/console/callback?code=any&state=${state}`);
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
    const { headers } = await new Browser().get(new URL(`${app.url}/console/sign-out`));
    const end = new URL(String(headers['location']));
    expect([end.origin, end.searchParams.get('post_logout_redirect_uri')]).toEqual([issuer, `${app.url}/console`]);
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
    signedIn = 'sub-1';
    const browser = new Browser();
    const verifier = 'a-verifier-of-this-test-that-is-long-enough-for-it';
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${app.url}/console/callback`,
      nonce: 'a nonce',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    // The last redirect carries the code to the console, which did not begin this sign-in.
    let at = new URL(`${issuer}/auth?${query.toString()}`);
    let code: string | null = null;
    for (let hop = 0; hop < 8 && code === null; hop++) {
      const { headers } = await browser.get(at);
      at = new URL(String(headers['location']), at);
      code = at.pathname === '/console/callback' ? at.searchParams.get('code') : null;
    }
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: String(code),
        redirect_uri: `${app.url}/console/callback`,
        code_verifier: verifier,
      }),
    });
    const { access_token, id_token } = (await response.json()) as { access_token: string; id_token: string };
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
