import { createHmac, createSign, KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import type { AppTokenVerifier } from '../../../src/http/auth/app-token.verifier.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { CodedError } from '../../../src/platform/platform/errors.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { appSecret, environment, START } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { tokenVerifier } from './support/token-verifier.js';

const seconds = Math.floor(START / 1000);
const good: JWTPayload = { sub: 'customer-1', exp: seconds + 60 };

interface KeyPair {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

/** Where the customer publishes its keys. */
class KeySetServer {
  keys: JWK[] = [];
  status = 200;
  breaksOff = false;
  padding = '';
  fetches = 0;
  private server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((_, response) => {
      this.fetches += 1;
      response.writeHead(this.status, { 'content-type': 'application/json' });
      const text = JSON.stringify({ keys: this.keys, padding: this.padding });
      if (this.breaksOff) response.write(text.slice(0, 20), () => response.destroy());
      else response.end(text);
    });
    this.server = server;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  }

  async publish(...pairs: [string | undefined, string, KeyPair][]): Promise<void> {
    this.keys = await Promise.all(
      pairs.map(async ([kid, alg, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        alg,
        ...(kid ? { kid } : {}),
      })),
    );
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((closed) => this.server?.close(closed));
  }
}

async function codeOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return 'accepted';
  } catch (error) {
    return error instanceof CodedError ? error.code : `unexpected ${String(error)}`;
  }
}

function signed(
  payload: JWTPayload,
  key: CryptoKey | Uint8Array,
  header: { alg: string; kid?: string },
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader(header).sign(key);
}

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
    url = await server.start();
    await server.publish(['one', 'RS256', rsa]);
  });

  afterEach(() => server.stop());

  function byKeySet(env: Record<string, string> = {}): AppTokenVerifier {
    const given = environment({ APP_JWT_SECRET: undefined, APP_JWT_JWKS_URL: url, ...env });
    return tokenVerifier(readConfig(given, pulledResources).appAuth, clock, own);
  }

  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s are accepted', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    await server.publish(['k', alg, pair]);
    expect(await byKeySet().verify(await signed(good, pair.privateKey, { alg, kid: 'k' }))).toBe('customer-1');
  });

  it.each(['PS256', 'RS512', 'ES384'])('signed with %s are refused', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    await server.publish(['k', alg, pair]);
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

  it('that bring their own key are refused', async () => {
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
    server.keys = [{ kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'secret' }];
    const token = await signed(good, secret, { alg: 'HS256', kid: 'secret' });
    expect(await codeOf(byKeySet().verify(token))).toBe('unauthorized');
  });

  it('that demand what is not understood are refused', async () => {
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

  it('of a rotated key are accepted once the cooldown is over, and unknown keys do not cause a flood', async () => {
    const next = await generateKeyPair('RS256', { extractable: true });
    const tokens = byKeySet();
    await tokens.verify(await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' }));
    await server.publish(['two', 'RS256', next]);
    const rotated = await signed(good, next.privateKey, { alg: 'RS256', kid: 'two' });
    expect(await codeOf(tokens.verify(rotated))).toBe('unauthorized');
    for (const kid of Array.from({ length: 50 }, (_, index) => `made-up-${index}`)) {
      const token = await signed(good, next.privateKey, { alg: 'RS256', kid });
      expect(await codeOf(tokens.verify(token))).toBe('unauthorized');
    }
    expect(server.fetches).toBe(1);
    clock.advance(10_000);
    expect(await tokens.verify(rotated)).toBe('customer-1');
    expect(server.fetches).toBe(2);
    const old = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    expect(await codeOf(tokens.verify(old))).toBe('unauthorized');
  });

  it('without a key id are tried with every key that fits', async () => {
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

  it.each([
    ['is longer than it may be', (set: KeySetServer) => void (set.padding = 'x'.repeat(262_144))],
    [
      'holds more keys than it may',
      (set: KeySetServer) => void (set.keys = Array.from({ length: 101 }, () => ({ ...set.keys[0] }))),
    ],
  ])('cannot be verified while the key set %s', async (_, breakIt) => {
    const tokens = byKeySet();
    const token = await signed(good, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    breakIt(server);
    expect(await codeOf(tokens.verify(token))).toBe('verification_unavailable');
  });

  it('cannot be verified while nothing listens there, and can be within a second of when something does', async () => {
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

  it('are verified with the last key set for as long as configured, one reading tried every ten seconds', async () => {
    const tokens = byKeySet({ APP_JWT_JWKS_STALE_SECONDS: '60' });
    const long = { ...good, exp: seconds + 3_600 };
    const token = await signed(long, rsa.privateKey, { alg: 'RS256', kid: 'one' });
    const unknown = await signed(long, rsa.privateKey, { alg: 'RS256', kid: 'two' });
    await tokens.verify(token);
    server.status = 500;
    clock.advance(600_000);
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(await codeOf(tokens.verify(token))).toBe('accepted');
    expect(await codeOf(tokens.verify(unknown))).toBe('verification_unavailable');
    expect(server.fetches).toBe(2);
    clock.advance(59_999);
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
