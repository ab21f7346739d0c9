import { readFileSync } from 'node:fs';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { environment, START } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type KeyPair, KeySetServer } from './support/key-set-server.js';
import { codeOf, tokenVerifier } from './support/token-verifier.js';

const seconds = Math.floor(START / 1000);
const times = { iat: seconds, exp: seconds + 3_600 };

interface Recipe {
  /** As in docs/app-tokens.md, but for the address of the key set. */
  readonly variables: Readonly<Record<string, string>>;
  /** `kid: undefined`: the tokens name no key. */
  readonly header: { alg: string; typ?: string; kid?: undefined };
  readonly access: JWTPayload;
  readonly account: string;
  /** Claims that turn the access token into one that must be refused. */
  readonly refused: Readonly<Record<string, JWTPayload>>;
}

/** Tokens in the shape that each provider documents. Values that a recipe tells to replace are of this test. */
const recipes: Readonly<Record<string, Recipe>> = {
  Auth0: {
    variables: { APP_JWT_ISSUER: 'https://example.eu.auth0.com/', APP_JWT_AUDIENCE: 'https://api.example.com' },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://example.eu.auth0.com/',
      sub: 'auth0|507f1f77bcf86cd799439020',
      aud: ['https://api.example.com', 'https://example.eu.auth0.com/userinfo'],
      azp: 'my_client_id',
      scope: 'openid profile',
    },
    account: 'auth0|507f1f77bcf86cd799439020',
    refused: {
      'an identity token': { aud: 'my_client_id', azp: undefined, nonce: 'n' },
      'another API': { aud: 'https://other.example.com' },
      'another tenant': { iss: 'https://stranger.eu.auth0.com/' },
    },
  },
  Okta: {
    variables: {
      APP_JWT_ISSUER: 'https://example.okta.com/oauth2/default',
      APP_JWT_AUDIENCE: 'api://default',
      APP_JWT_ACCOUNT_CLAIM: 'uid',
    },
    header: { alg: 'RS256' },
    access: {
      iss: 'https://example.okta.com/oauth2/default',
      sub: 'anna@example.com',
      aud: 'api://default',
      cid: '0oa1client',
      uid: '00u1person',
      scp: ['openid'],
      ver: 1,
    },
    account: '00u1person',
    refused: {
      'an identity token': { aud: '0oa1client', uid: undefined, sub: '00u1person' },
      'another authorization server': { iss: 'https://example.okta.com/oauth2/other' },
    },
  },
  'Amazon Cognito': {
    variables: {
      APP_JWT_ISSUER: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example',
      APP_JWT_CLIENT_IDS: '1example23456789',
    },
    header: { alg: 'RS256' },
    access: {
      iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example',
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      client_id: '1example23456789',
      token_use: 'access',
      username: 'anna',
    },
    account: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    refused: {
      'an identity token': { client_id: undefined, aud: '1example23456789', token_use: 'id' },
      'another client': { client_id: '2example23456789' },
      'another pool': { iss: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_other' },
    },
  },
  'Microsoft Entra ID': {
    variables: {
      APP_JWT_ISSUER: 'https://login.microsoftonline.com/9a1b2c3d-tenant/v2.0',
      APP_JWT_AUDIENCE: '6e74172b-api',
      APP_JWT_ACCOUNT_CLAIM: 'oid',
    },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://login.microsoftonline.com/9a1b2c3d-tenant/v2.0',
      sub: 'pairwise-for-the-api',
      aud: '6e74172b-api',
      azp: '7f85283c-app',
      oid: '8c96394d-person',
      tid: '9a1b2c3d-tenant',
      scp: 'access_as_user',
      ver: '2.0',
    },
    account: '8c96394d-person',
    refused: {
      'an identity token': { aud: '7f85283c-app', azp: undefined },
      'another tenant': { iss: 'https://login.microsoftonline.com/0d1e2f3a-tenant/v2.0' },
    },
  },
  Keycloak: {
    variables: {
      APP_JWT_ISSUER: 'https://login.example.com/realms/customers',
      APP_JWT_CLIENT_IDS: 'ios-app,android-app',
    },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://login.example.com/realms/customers',
      sub: 'f5b1c5a4-person',
      aud: 'account',
      typ: 'Bearer',
      azp: 'android-app',
    },
    account: 'f5b1c5a4-person',
    refused: {
      'an identity token': { typ: 'ID', aud: 'android-app' },
      'a refresh token': { typ: 'Refresh' },
      'another client': { azp: 'admin-cli' },
      'another realm': { iss: 'https://login.example.com/realms/staff' },
    },
  },
  authentik: {
    variables: {
      APP_JWT_ISSUER: 'https://login.example.com/application/o/your-app/',
      APP_JWT_AUDIENCE: 'app-client',
      APP_JWT_CLIENT_IDS: 'app-client',
    },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://login.example.com/application/o/your-app/',
      sub: 'd2f0c3-person',
      aud: 'app-client',
      azp: 'app-client',
      uid: 'token',
    },
    account: 'd2f0c3-person',
    refused: {
      'an identity token': { azp: undefined, uid: undefined },
      'the issuer without its slash': { iss: 'https://login.example.com/application/o/your-app' },
      'another application': { aud: 'other-client', azp: 'other-client' },
    },
  },
  Dex: {
    variables: { APP_JWT_ISSUER: 'https://dex.example.com', APP_JWT_AUDIENCE: 'app-client' },
    header: { alg: 'RS256' },
    access: { iss: 'https://dex.example.com', sub: 'CgRqYW5lEgRsZGFw', aud: 'app-client' },
    account: 'CgRqYW5lEgRsZGFw',
    refused: {
      'an identity token': { at_hash: 'aHash' },
      'another client': { aud: 'other-client' },
    },
  },
  Zitadel: {
    variables: { APP_JWT_ISSUER: 'https://example.zitadel.cloud', APP_JWT_AUDIENCE: '312909075212468632' },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://example.zitadel.cloud',
      sub: '312909075212468000',
      aud: ['312909075212468633', '312909075212468632'],
      azp: '312909075212468633',
      jti: 'token',
    },
    account: '312909075212468000',
    refused: {
      'an identity token': { at_hash: 'aHash', jti: undefined },
      'another project': { aud: ['312909075212468699'] },
    },
  },
  Authelia: {
    variables: { APP_JWT_ISSUER: 'https://auth.example.com', APP_JWT_AUDIENCE: 'https://api.example.com' },
    header: { alg: 'RS256', typ: 'at+jwt' },
    access: {
      iss: 'https://auth.example.com',
      sub: '0f6b1c7e-person',
      aud: ['https://api.example.com'],
      client_id: 'app',
      scp: ['openid'],
    },
    account: '0f6b1c7e-person',
    refused: {
      'an identity token': { aud: ['app'] },
      'another audience': { aud: ['https://other.example.com'] },
    },
  },
  'Pocket ID': {
    variables: { APP_JWT_ISSUER: 'https://id.example.com', APP_JWT_AUDIENCE: 'app-client' },
    header: { alg: 'RS256', typ: 'JWT' },
    access: { iss: 'https://id.example.com', sub: '7c1d-person', aud: 'app-client', type: 'oauth-access-token' },
    account: '7c1d-person',
    refused: {
      'an identity token': { type: 'id-token' },
      'a refresh token': { type: 'refresh-token' },
      'a session of the provider itself': { type: 'access-token', aud: 'https://id.example.com' },
    },
  },
  Clerk: {
    variables: { APP_JWT_ISSUER: 'https://clerk.example.com', APP_JWT_AUDIENCE: 'pulsekeep' },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://clerk.example.com',
      sub: 'user_2aPerson',
      aud: 'pulsekeep',
      azp: 'https://app.example.com',
      jti: 'f1',
      nbf: seconds - 10,
    },
    account: 'user_2aPerson',
    refused: {
      'a session token': { aud: undefined, sid: 'sess_1', sts: 'active', fva: [0, -1], v: 2 },
      'a token of another template': { aud: 'convex' },
      'another instance': { iss: 'https://stranger.clerk.accounts.dev' },
    },
  },
  Supabase: {
    variables: {
      APP_JWT_ISSUER: 'https://example.supabase.co/auth/v1',
      APP_JWT_AUDIENCE: 'authenticated',
    },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://example.supabase.co/auth/v1',
      sub: '123e4567-e89b-12d3-a456-426614174000',
      aud: 'authenticated',
      role: 'authenticated',
      aal: 'aal1',
      session_id: 's1',
      amr: [{ method: 'password', timestamp: seconds }],
      user_metadata: {},
      is_anonymous: false,
    },
    account: '123e4567-e89b-12d3-a456-426614174000',
    refused: {
      'the key of the service': { aud: undefined, sub: undefined, role: 'service_role' },
      'the public key of an app': { aud: 'anon', role: 'anon' },
      'another project': { iss: 'https://stranger.supabase.co/auth/v1' },
    },
  },
  'AD FS': {
    variables: {
      APP_JWT_ISSUER: 'http://adfs.example.com/adfs/services/trust',
      APP_JWT_AUDIENCE: 'https://api.example.com',
    },
    header: { alg: 'RS256', typ: 'JWT', kid: undefined },
    access: {
      iss: 'http://adfs.example.com/adfs/services/trust',
      sub: 'xBZpMT9zNKNy/jFsj4CF80crrwS+ATrfkgm4n4iYDFw=',
      aud: 'https://api.example.com',
      apptype: 'Public',
      appid: '9d2c-client',
      authmethod: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      auth_time: '2026-11-20T10:21:15.733Z',
      ver: '1.0',
      scp: 'openid',
    },
    account: 'xBZpMT9zNKNy/jFsj4CF80crrwS+ATrfkgm4n4iYDFw=',
    refused: {
      'an identity token': { iss: 'https://adfs.example.com/adfs', aud: '9d2c-client', upn: 'anna@example.com' },
      'a token for userinfo': { aud: 'urn:microsoft:userinfo' },
      'another API': { aud: 'microsoft:identityserver:other' },
    },
  },
  'Firebase Authentication': {
    variables: {
      APP_JWT_ISSUER: 'https://securetoken.google.com/example-project',
      APP_JWT_AUDIENCE: 'example-project',
    },
    header: { alg: 'RS256', typ: 'JWT' },
    access: {
      iss: 'https://securetoken.google.com/example-project',
      sub: 'Zk3person',
      aud: 'example-project',
      user_id: 'Zk3person',
      auth_time: seconds,
      firebase: { sign_in_provider: 'custom' },
    },
    account: 'Zk3person',
    refused: {
      'another project': { iss: 'https://securetoken.google.com/stranger', aud: 'stranger' },
      'another project as audience': { aud: 'stranger' },
    },
  },
};

describe.each(Object.entries(recipes))(
  'access tokens of %s',
  (name, { variables, header, access, account, refused }) => {
    let server: KeySetServer;
    let pair: KeyPair;
    let keys: string;

    beforeAll(async () => {
      pair = await generateKeyPair('RS256', { extractable: true });
      server = new KeySetServer();
      keys = `${await server.start()}/keys`;
      await server.publish(['one', 'RS256', pair]);
    });

    afterAll(() => server.stop());

    const outcomeOf = async (claims: JWTPayload, more: object = {}): Promise<[string, string?]> => {
      const env = environment({ APP_JWT_SECRET: undefined, APP_JWT_JWKS_URL: keys, ...variables, ...more });
      const verifier = tokenVerifier(readConfig(env, pulledResources).appAuth, new FakeClock(START));
      const token = await new SignJWT({ ...access, ...times, ...claims })
        .setProtectedHeader({ kid: 'one', ...header })
        .sign(pair.privateKey);
      const verified = verifier.verify(token);
      const code = await codeOf(verified);
      return code === 'accepted' ? [code, await verified] : [code];
    };

    it('name the account', async () => {
      expect(await outcomeOf({})).toEqual(['accepted', account]);
    });

    it.each(Object.entries(refused))('are refused as %s', async (_, claims) => {
      expect(await outcomeOf(claims)).toEqual(['unauthorized']);
    });

    it('name an account by an address only if it is verified', async () => {
      const email = 'anna@example.com';
      const by = { APP_JWT_ACCOUNT_CLAIM: 'email' };
      expect(await outcomeOf({ email, email_verified: true }, by)).toEqual(['accepted', email]);
      for (const email_verified of [undefined, false, 'no']) {
        expect(await outcomeOf({ email, email_verified }, by)).toEqual(['unauthorized']);
      }
    });

    it('have a recipe with these variables', () => {
      const recipe = readFileSync('docs/app-tokens.md', 'utf8')
        .split('\n## ')
        .find((text) => text.startsWith(name));
      const named = [...(recipe ?? '').matchAll(/^(APP_JWT_[A-Z_]+)=/gm)].map(([, variable]) => variable);
      expect(named.filter((variable) => variable !== 'APP_JWT_JWKS_URL')).toEqual(Object.keys(variables));
    });
  },
);
