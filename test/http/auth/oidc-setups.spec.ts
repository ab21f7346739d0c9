import { FakeClock } from '../../support/fake-clock.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';
import { Browser } from './support/browser.js';
import { appClient, consoleClient, consoleSecret, OidcSetup, type Setup } from './support/oidc-setup.js';

const basicAndPost = ['client_secret_basic', 'client_secret_post'] as const;
const usualScopes = { profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] } as const;
const groupsScope = { ...usualScopes, groups: ['groups'] } as const;
const api = 'https://api.example.com';
const tenant = '9a1b2c3d-0000-4000-8000-000000000001';
const projectRoles = 'urn:zitadel:iam:org:project:roles';

interface Tried extends Setup {
  /** Entry of OIDC_ROLES. */
  readonly role: string;
  /** Restriction of app tokens, as in docs/app-tokens.md. */
  readonly app: Readonly<Record<string, string>>;
  readonly account?: string;
}

/** `oidc-provider` set up as each provider documents itself. Forms of app tokens: docs/app-tokens.md. */
const setups: Readonly<Record<string, Tried>> = {
  authentik: {
    path: '/application/o/keep/',
    auth: ['client_secret_post', 'client_secret_basic'],
    scopes: { ...usualScopes, profile: ['name', 'preferred_username', 'groups'] },
    person: { email: 'sre@example.com', email_verified: false, groups: ['authentik Admins', 'sre'] },
    role: 'groups:authentik Admins=operator',
    token: {
      header: { typ: 'JWT' },
      claims: { aud: appClient, azp: appClient, uid: 'token', client_id: undefined, scope: undefined },
    },
    app: { APP_JWT_AUDIENCE: appClient, APP_JWT_CLIENT_IDS: appClient },
  },
  Keycloak: {
    path: '/realms/ops',
    auth: basicAndPost,
    scopes: { ...usualScopes, openid: ['sub', 'groups', 'resource_access', 'realm_access'] },
    person: { groups: ['/ops/sre'], resource_access: { 'pulse.example.com': { roles: ['sre'] } } },
    role: 'resource_access.pulse.example.com.roles:sre=operator',
    token: { header: { typ: 'JWT' }, claims: { aud: 'account', azp: appClient, typ: 'Bearer', client_id: undefined } },
    app: { APP_JWT_CLIENT_IDS: `ios-app,${appClient}` },
  },
  'Keycloak with groups as paths': {
    path: '/realms/ops',
    auth: basicAndPost,
    scopes: { ...usualScopes, openid: ['sub', 'groups'] },
    person: { groups: ['/ops/sre'] },
    role: 'groups:/ops/sre=operator',
    token: {
      header: { typ: 'JWT' },
      claims: { azp: appClient, typ: 'Bearer', client_id: undefined, aud: ['account'] },
    },
    app: { APP_JWT_CLIENT_IDS: appClient },
  },
  Auth0: {
    path: '/',
    auth: ['client_secret_post'],
    scopes: { ...usualScopes, openid: ['sub', 'https://example.com/roles'] },
    person: { 'https://example.com/roles': ['sre'] },
    role: 'https://example.com/roles:sre=operator',
    token: { header: { typ: 'JWT' }, claims: { aud: [api, 'userinfo'], azp: appClient, client_id: undefined } },
    app: { APP_JWT_AUDIENCE: api },
  },
  Okta: {
    path: '',
    auth: [...basicAndPost, 'client_secret_jwt'],
    scopes: groupsScope,
    person: { groups: ['Everyone', 'sre'] },
    role: 'groups:sre=operator',
    token: {
      header: { typ: undefined },
      claims: { aud: 'api://default', cid: appClient, uid: '00u1', scp: ['openid'], ver: 1, client_id: undefined },
    },
    app: { APP_JWT_AUDIENCE: 'api://default', APP_JWT_ACCOUNT_CLAIM: 'uid' },
    account: '00u1',
  },
  'Entra ID': {
    path: `/${tenant}/v2.0`,
    auth: ['client_secret_post'],
    scopes: { ...usualScopes, openid: ['sub', 'groups', 'tid', 'oid'] },
    person: {
      groups: ['4f0b0c6e-9d1f-4a53-8a35-0a0f3b1c2d4e'],
      tid: tenant,
      oid: '8c96394d',
      email: 'sre@example.com',
    },
    role: 'groups:4f0b0c6e-9d1f-4a53-8a35-0a0f3b1c2d4e=operator',
    token: {
      header: { typ: 'JWT' },
      claims: { aud: '6e74172b', azp: appClient, oid: '8c96394d', tid: tenant, scp: 'access_as_user', ver: '2.0' },
    },
    app: { APP_JWT_AUDIENCE: '6e74172b', APP_JWT_ACCOUNT_CLAIM: 'oid' },
    account: '8c96394d',
    settings: { subjectTypes: ['pairwise'], pairwiseIdentifier: (_: unknown, sub: string) => `pairwise-${sub}` },
  },
  Google: {
    path: '',
    auth: ['client_secret_post', 'client_secret_basic'],
    scopes: { profile: ['name'], email: ['email', 'email_verified'], openid: ['sub', 'hd'] },
    person: { hd: 'example.com', email: 'sre@example.com', email_verified: true },
    role: 'email:sre@example.com=operator',
    // Its own access tokens are opaque; these are of a backend that signs its own.
    token: { header: { typ: 'at+jwt' }, claims: { aud: api } },
    app: { APP_JWT_AUDIENCE: api },
  },
  Dex: {
    path: '/dex',
    auth: basicAndPost,
    scopes: groupsScope,
    person: { groups: ['example:sre'], email: 'sre@example.com', email_verified: true },
    role: 'groups:"example:sre"=operator',
    token: { header: { typ: undefined }, claims: { aud: appClient, client_id: undefined, scope: undefined } },
    app: { APP_JWT_AUDIENCE: appClient },
  },
  Zitadel: {
    path: '',
    auth: [...basicAndPost, 'private_key_jwt'],
    scopes: { ...usualScopes, openid: ['sub', projectRoles] },
    isByUserinfo: true,
    person: { [projectRoles]: { sre: { '2183': 'example.com' } } },
    role: `${projectRoles}:sre=operator`,
    token: { header: { typ: 'JWT' }, claims: { aud: ['312', '313'], azp: appClient, client_id: undefined } },
    app: { APP_JWT_AUDIENCE: '312' },
  },
  Authelia: {
    path: '',
    auth: basicAndPost,
    scopes: groupsScope,
    isByUserinfo: true,
    person: { groups: ['sre'], email: 'sre@example.com', email_verified: true },
    role: 'groups:sre=operator',
    token: { header: { typ: 'at+jwt' }, claims: { aud: [api], scp: ['openid'] } },
    app: { APP_JWT_AUDIENCE: api },
    settings: { pkce: { required: () => true } },
  },
  'Pocket ID': {
    path: '',
    auth: basicAndPost,
    scopes: groupsScope,
    person: { groups: ['sre'], email: 'sre@example.com', email_verified: true },
    role: 'groups:sre=operator',
    token: {
      header: { typ: 'JWT' },
      claims: { aud: appClient, type: 'oauth-access-token', client_id: undefined, scope: undefined },
    },
    app: { APP_JWT_AUDIENCE: appClient },
  },
};

describe.each(Object.entries(setups))(
  'oidc-provider set up as %s',
  (_name, { role, app: restrictions, account = 'u-1', ...setup }) => {
    let app: TestApp;
    let provider: OidcSetup;

    beforeAll(async () => {
      // oidc-provider prints advice for production, also when it is loaded.
      for (const kind of ['info', 'warn'] as const) jest.spyOn(console, kind).mockReturnValue();
      provider = new OidcSetup(setup);
      await provider.listen();
      // Providers live by the real time.
      app = await TestApp.create({
        webhooks: false,
        clock: new FakeClock(Date.now()),
        env: {
          OIDC_ISSUER: provider.issuer,
          OIDC_CLIENT_ID: consoleClient,
          OIDC_CLIENT_SECRET: consoleSecret,
          OIDC_ROLES: role,
          APP_JWT_SECRET: undefined,
          APP_JWT_ISSUER: provider.issuer,
          APP_JWT_JWKS_URL: provider.jwksUrl,
          ...restrictions,
        },
      });
      await provider.serve(app.url);
    });

    afterAll(async () => {
      await app.close();
      provider.close();
    });

    const current = (browser: Browser): Promise<Answer> =>
      browser.get('/admin/v1/sessions/current', { 'x-pulsekeep-console': '1' });

    it('signs people in with their role, and out again', async () => {
      const browser = new Browser(app.url);
      const { url } = await browser.open('/console/sign-in');
      expect(url.search).toBe('?signed_in=1');
      expect((await current(browser)).body).toMatchObject({ role: 'operator', kind: 'person' });
      const { headers } = await browser.get('/console/sign-out');
      const end = new URL(String(headers['location']));
      expect(end.origin).toBe(provider.origin);
      const { status } = await browser.get(end.href);
      expect(status).toBe(200);
    });

    it('gives nobody a role without the claim', async () => {
      provider.person = {};
      const browser = new Browser(app.url);
      const { url } = await browser.open('/console/sign-in');
      expect(url.search).toBe('?sign_in_failed=no_role');
      expect((await current(browser)).status).toBe(401);
      provider.person = setup.person;
    });

    it('signs tokens of the app, whose identity tokens are refused', async () => {
      const { access_token, id_token } = await provider.appTokens('a nonce');
      const { status, body } = await app.call('GET', '/v1/me', `Bearer ${access_token}`);
      expect([status, body]).toMatchObject([200, { account: { account_id: account } }]);
      expect((await app.call('GET', '/v1/me', `Bearer ${id_token}`)).status).toBe(401);
    });
  },
);
