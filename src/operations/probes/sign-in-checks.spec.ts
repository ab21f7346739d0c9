import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppAuthConfig, PeopleConfig } from '../../platform/config/config.js';
import { Secret } from '../../platform/config/secret.js';
import type { Check } from './check.js';
import { signInChecks } from './sign-in-checks.js';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

describe('the checks of identity providers', () => {
  let server: Server;
  let issuer: string;
  /** What the provider answers, by path. */
  let pages: Record<string, unknown>;

  beforeEach(async () => {
    server = createServer(({ url = '' }, response) => {
      const page = pages[url];
      response.writeHead(page === undefined ? 404 : 200).end(typeof page === 'string' ? page : JSON.stringify(page));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
    const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` };
    pages = {
      '/realm/.well-known/openid-configuration': { issuer, ...endpoints, jwks_uri: `${issuer}/keys` },
      '/realm/keys': { keys: [key] },
    };
  });

  afterEach(() => new Promise((closed) => server.close(closed)));

  const check = (of: { people?: string; tokens?: string }): Promise<Check[]> =>
    signInChecks({
      people: { issuer: of.people, clientSecret: new Secret('hidden'), clientAuth: 'auto' } as PeopleConfig,
      appAuth: { keySet: of.tokens === undefined ? undefined : { issuer: of.tokens } } as AppAuthConfig,
    });
  const document = (more: object): void => {
    const path = '/realm/.well-known/openid-configuration';
    pages[path] = { ...(pages[path] as object), ...more };
  };

  it('are good for providers that answer, and skipped without one', async () => {
    expect(await check({ people: issuer, tokens: issuer })).toEqual([
      { check: 'console sign-in', state: 'ok', finding: `${issuer} answers with its discovery document.` },
      { check: 'access tokens', state: 'ok', finding: `${issuer}/keys has a usable key.` },
    ]);
    expect((await check({})).map(({ state }) => state)).toEqual(['skipped', 'skipped']);
  });

  it('name both texts of an issuer that differ', async () => {
    const slash = `${issuer}/`;
    for (const { state, finding } of await check({ people: slash, tokens: slash })) {
      expect(state).toBe('bad');
      expect(finding).toContain(`configured as ${slash}, but`);
      expect(finding).toContain(`is of the issuer ${issuer}: configure that`);
    }
  });

  it('name both texts of an issuer that differ, also beside an address of keys', async () => {
    const among = async (issuers: readonly string[]): Promise<Check | undefined> => {
      const appAuth = { keySet: { url: `${issuer}/keys` }, issuers } as AppAuthConfig;
      return (await signInChecks({ people: {} as PeopleConfig, appAuth }))[1];
    };
    expect((await among(['my-backend', issuer, `${issuer}s/of-another-path`]))?.state).toBe('ok');
    const differs = await among([issuer, `${issuer}/`]);
    expect(differs?.finding).toContain(`APP_JWT_ISSUER: The issuer is configured as ${issuer}/, but`);
  });

  it.each<[string, () => void, string]>([
    ['404', () => (pages = {}), 'openid-configuration answers with 404.'],
    ['no JSON', () => (pages['/realm/.well-known/openid-configuration'] = '<p>'), 'is not a discovery document.'],
    [
      'no use of a secret',
      () => document({ token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }),
      'lists no way to use a secret',
    ],
    ['no endpoint', () => document({ token_endpoint: undefined }), 'names no token_endpoint.'],
  ])('say what the provider of people answered: %s', async (_, answer, finding) => {
    answer();
    const [people] = await check({ people: issuer });
    expect(people?.state).toBe('bad');
    expect(people?.finding).toContain(finding);
  });

  it.each<[string, () => void, string]>([
    ['no address of keys', () => document({ jwks_uri: undefined }), 'names no jwks_uri.'],
    ['404', () => delete pages['/realm/keys'], '/keys answers with 404.'],
    ['no JSON', () => (pages['/realm/keys'] = '<p>'), '/keys is not JSON.'],
    [
      'no usable key',
      () => (pages['/realm/keys'] = { keys: [] }),
      'has no usable signature key (RS256, ES256 or EdDSA).',
    ],
  ])('say what the provider of access tokens answered: %s', async (_, answer, finding) => {
    answer();
    const [, tokens] = await check({ tokens: issuer });
    expect(tokens?.state).toBe('bad');
    expect(tokens?.finding).toContain(finding);
  });

  it('say that a provider does not answer', async () => {
    await new Promise((closed) => server.close(closed));
    const [people] = await check({ people: issuer });
    expect(people?.finding).toContain('cannot be reached (ECONNREFUSED)');
  });
});
