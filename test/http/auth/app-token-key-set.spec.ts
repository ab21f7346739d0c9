import { createHmac, createSign, generateKeyPairSync, KeyObject } from 'node:crypto';
import {
  type CryptoKey,
  errors,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import type { AppTokenVerifier } from '../../../src/http/auth/app-token.verifier.js';
import { KeySet } from '../../../src/http/auth/key-set.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { appSecret, environment, START } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type KeyPair, KeySetServer } from './support/key-set-server.js';
import { codeOf, tokenVerifier } from './support/token-verifier.js';

const seconds = Math.floor(START / 1000);
const issuer = 'https://login.customer.test/';
const good: JWTPayload = { iss: issuer, sub: 'customer-1', exp: seconds + 60 };

function signed(
  payload: JWTPayload,
  key: CryptoKey | Uint8Array,
  header: { alg: string; kid?: string },
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader(header).sign(key);
}

const shortKey = (): JWK => generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('access tokens by key set', () => {
  let server: KeySetServer;
  let url: string;
  let rsa: KeyPair;
  let clock: FakeClock;
  let own: ThisProcess;

  beforeAll(async () => {
    rsa = await generateKeyPair('RS256', { extractable: true });
  });

  beforeEach(async () => {
    clock = new FakeClock(START);
    own = new ThisProcess('test');
    server = new KeySetServer();
    url = `${await server.start()}/keys`;
    await server.publish(['one', 'RS256', rsa]);
  });

  afterEach(() => server.stop());

  function byKeySet(env: Record<string, string | undefined> = {}): AppTokenVerifier {
    const given = environment({
      APP_JWT_SECRET: undefined,
      APP_JWT_JWKS_URL: url,
      APP_JWT_ISSUER: issuer,
      APP_JWT_ANY_AUDIENCE: 'true',
      ...env,
    });
    return tokenVerifier(readConfig(given, pulledResources).appAuth, clock, own);
  }

  it.each(['RS256', 'ES256', 'EdDSA', 'Ed25519'])('signed with %s are accepted', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    await server.publish(['k', alg, pair]);
    expect(await byKeySet().verify(await signed(good, pair.privateKey, { alg, kid: 'k' }))).toBe('customer-1');
  });

  it.each(['PS256', 'RS512', 'ES384'])('signed with %s are refused', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    await server.publish(['one', 'RS256', rsa], ['k', alg, pair]);
    expect(await codeOf(byKeySet().verify(await signed(good, pair.privateKey, { alg, kid: 'k' })))).toBe(
      'unauthorized',
    );
  });

  it('signed by HMAC with the public key as secret are refused', async () => {
    const signedText = `${part({ alg: 'HS256', kid: 'one' })}.${part(good)}`;
    for (const secret of [await exportSPKI(rsa.publicKey), JSON.stringify(await exportJWK(rsa.publicKey))]) {
      const mac = createHmac('sha256', secret).update(signedText).digest('base64url');
      expect(await codeOf(byKeySet().verify(`${signedText}.${mac}`))).toBe('unauthorized');
    }
  });

  it('that contain their own key are refused', async () => {
    const own = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    const header = { alg: 'RS256', kid: 'one', jwk, jku: url };
    const token = await new SignJWT(good).setProtectedHeader(header).sign(own.privateKey);
    expect(await codeOf(byKeySet().verify(token))).toBe('unauthorized');
  });

  it('that name a key of another algorithm than theirs are refused', async () => {
    const curve = await generateKeyPair('ES256', { extractable: true });
    await server.publish(['one', 'RS256', rsa], ['two', 'ES256', curve]);
    for (const [key, alg, kid] of [
      [curve, 'ES256', 'one'],
      [rsa, 'RS256', 'two'],
    ] as const) {
      expect(await codeOf(byKeySet().verify(await signed(good, key.privateKey, { alg, kid })))).toBe('unauthorized');
    }
  });

  it('signed with a secret that the key set holds are refused', async () => {
    const secret = Buffer.from(appSecret);
    server.keys = [...server.keys, { kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'secret' }];
    const token = await signed(good, secret, { alg: 'HS256', kid: 'secret' });
    expect(await codeOf(byKeySet().verify(token))).toBe('unauthorized');
  });

  it('with unknown critical headers are refused', async () => {
    const header = { alg: 'RS256', kid: 'one', crit: ['exp-at-noon'], 'exp-at-noon': true };
    const text = `${part(header)}.${part(good)}`;
    const signature = createSign('sha256').update(text).sign(KeyObject.from(rsa.privateKey)).toString('base64url');
    expect(await codeOf(byKeySet().verify(`${text}.${signature}`))).toBe('unauthorized');
  });

  it('of the old and the new key are accepted while both are published', async () => {
    const next = await generateKeyPair('RS256', { extractable: true });
    await server.publish(['one', 'RS256', rsa], ['two', 'RS256', next]);
    const tokens = byKeySet();
    for (const [key, kid] of [
      [rsa, 'one'],
      [next, 'two'],
    ] as const) {
      expect(await tokens.verify(await signed(good, key.privateKey, { alg: 'RS256', kid }))).toBe('customer-1');
    }
    expect(await codeOf(tokens.verify(await signed(good, next.privateKey, { alg: 'RS256', kid: 'one' })))).toBe(
      'unauthorized',
    );
  });

  it('read the key set once', async () => {
    const tokens = byKeySet();
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    await Promise.all(Array.from({ length: 20 }, () => tokens.verify(token)));
    await tokens.verify(token);
    expect(server.fetches).toBe(1);
  });

  it('of a new key are accepted the first time, however often strangers name keys that do not exist', async () => {
    const next = await generateKeyPair('RS256', { extractable: true });
    const pauses: number[] = [];
    const set = new KeySet({ url }, clock, { readable: () => undefined, unreadable: () => undefined }, async (ms) => {
      pauses.push(ms);
      clock.advance(ms);
    });
    const subjectOf = async (key: CryptoKey, kid: string): Promise<unknown> =>
      (await set.verify(await signed(good, key, { alg: 'RS256', kid }), { currentDate: new Date(START) })).payload.sub;
    expect(await subjectOf(rsa.privateKey, 'one')).toBe('customer-1');
    await expect(subjectOf(next.privateKey, 'made-up')).rejects.toThrow(errors.JWKSNoMatchingKey);
    await server.publish(['two', 'RS256', next]);
    expect(await subjectOf(next.privateKey, 'two')).toBe('customer-1');
    await expect(subjectOf(rsa.privateKey, 'one')).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(pauses).toEqual([expect.closeTo(1_000, -1), expect.closeTo(1_000, -1), expect.closeTo(1_000, -1)]);
  });

  it('with unknown keys cause one read for all that wait, and one in ten seconds for each key', async () => {
    const tokens = byKeySet();
    await tokens.verify(await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' }));
    clock.advance(1_000);
    const unknown = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'made-up' });
    const many = Array.from({ length: 50 }, () => codeOf(tokens.verify(unknown)));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['unauthorized']));
    expect(server.fetches).toBe(2);
    clock.advance(9_000);
    expect(await codeOf(tokens.verify(unknown))).toBe('unauthorized');
    expect(server.fetches).toBe(2);
    clock.advance(1_000);
    expect(await codeOf(tokens.verify(unknown))).toBe('unauthorized');
    expect(server.fetches).toBe(3);
  });

  it('without a key id are tried with every matching key', async () => {
    const other = await generateKeyPair('RS256', { extractable: true });
    const stranger = await generateKeyPair('RS256', { extractable: true });
    await server.publish([undefined, 'RS256', rsa], [undefined, 'RS256', other]);
    const tokens = byKeySet();
    expect(await tokens.verify(await signed(good, other.privateKey, { alg: 'RS256' }))).toBe('customer-1');
    expect(await codeOf(tokens.verify(await signed(good, stranger.privateKey, { alg: 'RS256' })))).toBe('unauthorized');
    const expired = { ...good, exp: seconds - 60 };
    expect(await codeOf(tokens.verify(await signed(expired, other.privateKey, { alg: 'RS256' })))).toBe('unauthorized');
  });

  it.each([
    ['answers with an error', (set: KeySetServer) => void (set.status = 500)],
    ['answers something else', (set: KeySetServer) => void (set.keys = 'none' as unknown as JWK[])],
    ['redirects', (set: KeySetServer) => void (set.status = 302)],
    ['breaks off', (set: KeySetServer) => void (set.breaksOff = true)],
    ['holds a broken key', (set: KeySetServer) => void (set.keys = [{ kty: 'RSA', alg: 'RS256', kid: 'one' }])],
  ])('cannot be verified while the key set %s', async (_, breakIt) => {
    breakIt(server);
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    expect(await codeOf(byKeySet().verify(token))).toBe('verification_unavailable');
  });

  it('are verified by the usable keys of a set, whatever else it contains', async () => {
    const none: unknown[] = [null, 'key', 1, [], {}, { kty: 'RSA', alg: 'RS256', kid: 'one' }];
    server.keys = [...(none as JWK[]), ...server.keys];
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    expect(await codeOf(byKeySet().verify(token))).toBe('accepted');
  });

  it.each([
    ['is longer than it may be', (set: KeySetServer) => void (set.padding = 'x'.repeat(262_144))],
    [
      'holds more keys than it may',
      (set: KeySetServer) => void (set.keys = Array.from({ length: 501 }, () => ({ ...set.keys[0] }))),
    ],
  ])('cannot be verified while the key set %s', async (_, breakIt) => {
    const tokens = byKeySet();
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    breakIt(server);
    expect(await codeOf(tokens.verify(token))).toBe('verification_unavailable');
  });

  it.each<[string, (key: JWK) => JWK[]]>([
    ['is empty', () => []],
    ['holds keys for encryption only', (key) => [{ ...key, use: 'enc' }]],
    ['holds keys for wrapping only', (key) => [{ ...key, key_ops: ['wrapKey'] }]],
    ['holds keys of another algorithm only', (key) => [{ ...key, alg: 'RSA-OAEP' }]],
    ['holds a secret only', (key) => [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', kid: String(key.kid) }]],
    [
      'holds broken keys only',
      (key) => [
        { ...key, n: '!' },
        { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
      ],
    ],
    ['holds short keys only', (key) => [{ ...shortKey(), kid: String(key.kid) }]],
    ['holds no objects', () => [null as unknown as JWK, 'key' as unknown as JWK]],
  ])('stay valid while a key set that was good %s, and are never refused for it', async (_, broken) => {
    const tokens = byKeySet();
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    const stranger = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'nobody-knows' });
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    server.keys = server.keys.flatMap(broken);
    expect(await codeOf(byKeySet().verify(token))).toBe('verification_unavailable');
    clock.advance(10_000);
    expect(await codeOf(tokens.verify(stranger))).toBe('verification_unavailable');
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(own.signs(clock.now())).toHaveProperty('key_set_unreadable');
    await server.publish(['one', 'RS256', rsa]);
    clock.advance(10_000);
    expect(await codeOf(tokens.verify(stranger))).toBe('unauthorized');
    expect(own.signs(clock.now())).toEqual({});
  });

  it('of another issuer of the same keys are refused, and each configured issuer is accepted', async () => {
    const tokens = byKeySet({
      APP_JWT_ISSUER: `${issuer}, https://login.customer.example/`,
      APP_JWT_ACCOUNTS: 'shared',
    });
    const outcomeOf = async (iss?: string): Promise<string> =>
      codeOf(tokens.verify(await signed({ ...good, iss }, rsa.privateKey, { alg: 'RS256', kid: 'one' })));
    expect([await outcomeOf(issuer), await outcomeOf('https://login.customer.example/')]).toEqual([
      'accepted',
      'accepted',
    ]);
    for (const other of ['https://login.stranger.test/', `${issuer}, https://login.customer.example/`, undefined]) {
      expect(await outcomeOf(other)).toBe('unauthorized');
    }
  });

  describe('found by discovery from the issuer', () => {
    const path = '/tenant/.well-known/openid-configuration';
    let address: string;
    let token: string;
    const tokens = (): AppTokenVerifier => byKeySet({ APP_JWT_JWKS_URL: undefined, APP_JWT_ISSUER: address });

    beforeEach(async () => {
      address = `${new URL(url).origin}/tenant/`;
      server.documents[path] = { issuer: address, jwks_uri: url };
      token = await signed({ ...good, iss: address }, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    });

    it('are accepted, also after the issuer has moved its key set', async () => {
      const verifier = tokens();
      expect(await codeOf(verifier.verify(token))).toBe('accepted');
      expect(server.paths).toEqual([path, '/keys']);
      server.documents[path] = { issuer: address, jwks_uri: `${url}-of-today` };
      clock.advance(600_000);
      const later = await signed({ ...good, iss: address, exp: seconds + 3_600 }, rsa.privateKey, {
        alg: 'RS256',
        kid: 'one',
      });
      expect(await codeOf(verifier.verify(later))).toBe('accepted');
      expect(server.paths.at(-1)).toBe('/keys-of-today');
    });

    it.each<[string, (keys: string) => object | null]>([
      ['is of another issuer', (keys) => ({ issuer: 'https://login.stranger.test/', jwks_uri: keys })],
      ['has no issuer', (keys) => ({ jwks_uri: keys })],
      ['has no address of a key set', () => ({ issuer: address })],
      ['has an address that is not encrypted', () => ({ issuer: address, jwks_uri: 'http://keys.stranger.test/' })],
      ['is not an object', () => null],
    ])('cannot be verified while the discovery document %s', async (_, document) => {
      server.documents[path] = document(url);
      expect(await codeOf(tokens().verify(token))).toBe('verification_unavailable');
      expect(server.paths).toEqual([path]);
    });
  });

  it('cannot be verified while nothing listens there, and can be within a second afterwards', async () => {
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    const tokens = byKeySet();
    server.status = 503;
    expect(await Promise.all(Array.from({ length: 20 }, () => codeOf(tokens.verify(token))))).toEqual(
      Array.from({ length: 20 }, () => 'verification_unavailable'),
    );
    expect(await codeOf(tokens.verify(token))).toBe('verification_unavailable');
    expect(server.fetches).toBe(1);
    expect(own.signs(clock.now())).toEqual({ key_set_unreadable: START });
    server.status = 200;
    clock.advance(1_000);
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(own.signs(clock.now())).toEqual({});
    await server.stop();
    expect(await codeOf(byKeySet().verify(token))).toBe('verification_unavailable');
  });

  it('are verified with the last key set for another hour, with one read every ten seconds', async () => {
    const tokens = byKeySet();
    const long = { ...good, exp: seconds + 7_200 };
    const token = await signed(long, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    const unknown = await signed(long, rsa.privateKey, { alg: 'RS256', kid: 'two' });
    await tokens.verify(token);
    server.status = 500;
    clock.advance(600_000);
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(await codeOf(tokens.verify(unknown))).toBe('verification_unavailable');
    expect(server.fetches).toBe(2);
    clock.advance(3_599_999);
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(server.fetches).toBe(3);
    clock.advance(1);
    expect(await codeOf(tokens.verify(token))).toBe('verification_unavailable');
    clock.advance(1_000);
    server.status = 200;
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(await codeOf(tokens.verify(unknown))).toBe('unauthorized');
  });
});
