import { type CryptoKey, type JWTPayload, SignJWT } from 'jose';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import type { AppTokenVerifier } from '../../../src/http/auth/app-token.verifier.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { appSecret, environment, START } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { codeOf, tokenVerifier } from './support/token-verifier.js';

const seconds = Math.floor(START / 1000);
const good: JWTPayload = { sub: 'customer-1', exp: seconds + 60 };

function verifier(env: Record<string, string | undefined> = {}): AppTokenVerifier {
  const { appAuth } = readConfig(environment(env), pulledResources);
  return tokenVerifier(appAuth, new FakeClock(START));
}

function signed(
  payload: JWTPayload,
  key: CryptoKey | Uint8Array,
  header: { alg: string; kid?: string; typ?: string },
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader(header).sign(key);
}

const hs256 = (payload: JWTPayload, secret = appSecret): Promise<string> =>
  signed(payload, new TextEncoder().encode(secret), { alg: 'HS256' });

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('access tokens by secret', () => {
  it('name their account', async () => {
    expect(await verifier().verify(await hs256(good))).toBe('customer-1');
  });

  it('name it in the configured claim', async () => {
    const named = verifier({ APP_JWT_ACCOUNT_CLAIM: 'https://example.com/customer' });
    expect(await named.verify(await hs256({ ...good, 'https://example.com/customer': 'c-9' }))).toBe('c-9');
    expect(await codeOf(named.verify(await hs256(good)))).toBe('unauthorized');
  });

  it.each([
    ['inside another claim', { app_metadata: { account: 'c-9' } }, 'c-9'],
    ['with a dot in its own name', { 'app_metadata.account': 'c-8', app_metadata: { account: 'c-9' } }, 'c-8'],
    ['that is a whole number', { app_metadata: { account: 4711 } }, '4711'],
  ])('name it in a claim %s', async (_, claims, account) => {
    const named = verifier({ APP_JWT_ACCOUNT_CLAIM: 'app_metadata.account' });
    expect(await named.verify(await hs256({ ...good, ...claims }))).toBe(account);
  });

  it('name it by an address unless they say that it is not verified', async () => {
    const named = verifier({ APP_JWT_ACCOUNT_CLAIM: 'email' });
    const email = 'anna@example.com';
    expect(await named.verify(await hs256({ ...good, email }))).toBe(email);
    expect(await codeOf(named.verify(await hs256({ ...good, email, email_verified: false })))).toBe('unauthorized');
  });

  it.each([
    ['expired longer ago than the skew', { ...good, exp: seconds - 6 }, 'unauthorized'],
    ['expired within the skew', { ...good, exp: seconds - 4 }, 'accepted'],
    ['without expiry', { sub: 'customer-1' }, 'unauthorized'],
    ['not valid yet', { ...good, nbf: seconds + 6 }, 'unauthorized'],
    ['not valid yet within the skew', { ...good, nbf: seconds + 4 }, 'accepted'],
    ['without the claim', { exp: seconds + 60 }, 'unauthorized'],
    ['with an empty claim', { ...good, sub: '' }, 'unauthorized'],
    ['with a fraction as claim', { ...good, sub: 4.2 as unknown as string }, 'unauthorized'],
    ['with a number that is not exact as claim', { ...good, sub: (2 ** 53) as unknown as string }, 'unauthorized'],
    ['with true as claim', { ...good, sub: true as unknown as string }, 'unauthorized'],
    ['with a list as claim', { ...good, sub: ['customer-1'] as unknown as string }, 'unauthorized'],
    ['with null as claim', { ...good, sub: null as unknown as string }, 'unauthorized'],
    ['with a claim of 255 characters', { ...good, sub: 'x'.repeat(255) }, 'accepted'],
    ['with a claim of 256 characters', { ...good, sub: 'x'.repeat(256) }, 'unauthorized'],
    ['with a zero byte in the claim', { ...good, sub: 'a\u0000b' }, 'unauthorized'],
    ['with a line break in the claim', { ...good, sub: 'a\nb' }, 'unauthorized'],
    ['with half a character in the claim', { ...good, sub: 'a\ud800' }, 'unauthorized'],
  ])('%s', async (_, payload, expected) => {
    expect(await codeOf(verifier().verify(await hs256(payload as JWTPayload)))).toBe(expected);
  });

  it('of another secret are refused', async () => {
    expect(await codeOf(verifier().verify(await hs256(good, 'another secret that is long enough')))).toBe(
      'unauthorized',
    );
  });

  it('of algorithm none are refused', async () => {
    const header = part({ alg: 'none' });
    for (const token of [`${header}.${part(good)}.`, `${header}.${part(good)}.AAAA`]) {
      expect(await codeOf(verifier().verify(token))).toBe('unauthorized');
    }
  });

  it('of another algorithm of the same secret are refused', async () => {
    const token = await signed(good, new TextEncoder().encode(appSecret.repeat(2)), { alg: 'HS512' });
    expect(await codeOf(verifier({ APP_JWT_SECRET: appSecret.repeat(2) }).verify(token))).toBe('unauthorized');
  });

  it.each(['iss', 'aud'])('with a wrong or missing %s are refused if one is configured', async (claim) => {
    const strict = verifier({ APP_JWT_ISSUER: 'https://issuer', APP_JWT_AUDIENCE: 'app' });
    const complete = { ...good, iss: 'https://issuer', aud: ['other', 'app'] };
    expect(await codeOf(strict.verify(await hs256(complete)))).toBe('accepted');
    expect(await codeOf(strict.verify(await hs256({ ...complete, [claim]: 'wrong' })))).toBe('unauthorized');
    expect(await codeOf(strict.verify(await hs256({ ...complete, [claim]: undefined })))).toBe('unauthorized');
  });

  it('are accepted for each of several audiences', async () => {
    const lists = verifier({ APP_JWT_AUDIENCE: 'ios,web' });
    const outcomeOf = async (aud: string | string[]): Promise<string> =>
      codeOf(lists.verify(await hs256({ ...good, aud })));
    expect(await outcomeOf('ios')).toBe('accepted');
    expect(await outcomeOf(['other', 'web'])).toBe('accepted');
    expect(await outcomeOf('ios,web')).toBe('unauthorized');
  });

  it('of several issuers are accepted for the audiences and clients of their own issuer', async () => {
    const paired = verifier({
      APP_JWT_ISSUER: 'https://a,https://b,https://c',
      APP_JWT_AUDIENCE: 'https://a ios, https://b web',
      APP_JWT_CLIENT_IDS: 'https://b one',
      APP_JWT_ACCOUNTS: 'shared',
    });
    const outcomeOf = async (claims: object): Promise<string> =>
      codeOf(paired.verify(await hs256({ ...good, ...claims })));
    expect(await outcomeOf({ iss: 'https://a', aud: 'ios' })).toBe('accepted');
    expect(await outcomeOf({ iss: 'https://b', aud: ['other', 'web'], azp: 'one' })).toBe('accepted');
    expect(await outcomeOf({ iss: 'https://b', aud: 'web' })).toBe('unauthorized');
    expect(await outcomeOf({ iss: 'https://a', aud: 'web' })).toBe('unauthorized');
    expect(await outcomeOf({ iss: 'https://b', aud: 'ios', azp: 'one' })).toBe('unauthorized');
    for (const aud of ['ios', 'web']) expect(await outcomeOf({ iss: 'https://c', aud })).toBe('unauthorized');
    expect(await outcomeOf({ iss: 'https://a,https://b,https://c', aud: 'ios' })).toBe('unauthorized');
  });

  it('of several issuers name the same account only if a setting says so', async () => {
    const several = { APP_JWT_ISSUER: 'https://a/,https://b', APP_JWT_AUDIENCE: 'api' };
    const accountOf = async (scope: string, iss: string): Promise<string> =>
      verifier({ ...several, APP_JWT_ACCOUNTS: scope }).verify(await hs256({ ...good, aud: 'api', iss }));
    const sub = String(good.sub);
    expect([await accountOf('shared', 'https://a/'), await accountOf('shared', 'https://b')]).toEqual([sub, sub]);
    expect([await accountOf('by_issuer', 'https://a/'), await accountOf('by_issuer', 'https://b')]).toEqual([
      `https://a/|${sub}`,
      `https://b|${sub}`,
    ]);
  });

  it('are accepted for each of several issuers', async () => {
    const lists = verifier({
      APP_JWT_ISSUER: 'https://a, https://b',
      APP_JWT_AUDIENCE: 'https://a ios,https://a web,https://b ios,https://b web',
      APP_JWT_ACCOUNTS: 'shared',
    });
    const outcomeOf = async (iss: string, aud: string | string[]): Promise<string> =>
      codeOf(lists.verify(await hs256({ ...good, iss, aud })));
    expect(await outcomeOf('https://a', 'ios')).toBe('accepted');
    expect(await outcomeOf('https://b', ['other', 'web'])).toBe('accepted');
    expect(await outcomeOf('https://a', 'other')).toBe('unauthorized');
    expect(await outcomeOf('https://c', 'ios')).toBe('unauthorized');
    expect(await outcomeOf('https://a, https://b', 'ios,web')).toBe('unauthorized');
  });

  it.each([
    ['azp', { azp: 'ios' }, 'accepted'],
    ['client_id', { client_id: 'web' }, 'accepted'],
    ['both', { azp: 'ios', client_id: 'ios' }, 'accepted'],
    ['neither', {}, 'unauthorized'],
    ['another client', { azp: 'other' }, 'unauthorized'],
    ['the list as one text', { azp: 'ios,web' }, 'unauthorized'],
    ['two clients, one of them another', { azp: 'ios', client_id: 'other' }, 'unauthorized'],
    ['a list', { azp: ['ios'] }, 'unauthorized'],
    ['the client as audience only', { aud: 'ios' }, 'unauthorized'],
    ['an identity token of the client', { aud: 'ios', azp: 'ios' }, 'unauthorized'],
    ['an access token with the client as audience', { aud: 'ios', azp: 'ios', scope: 'openid' }, 'accepted'],
  ])('that were issued to a client are accepted from the configured ones: %s', async (_, claims, expected) => {
    const forClients = verifier({ APP_JWT_CLIENT_IDS: 'ios,web' });
    expect(await codeOf(forClients.verify(await hs256({ ...good, ...claims })))).toBe(expected);
  });

  it.each([
    ['typ JWT', { typ: 'JWT' }, {}, 'accepted'],
    ['typ at+jwt', { typ: 'at+JWT' }, {}, 'accepted'],
    ['typ application/at+jwt', { typ: 'application/at+jwt' }, {}, 'accepted'],
    ['typ of a logout token', { typ: 'logout+jwt' }, {}, 'unauthorized'],
    ['typ of a proof', { typ: 'dpop+jwt' }, {}, 'unauthorized'],
    ['token_use access', {}, { token_use: 'access' }, 'accepted'],
    ['token_use id', {}, { token_use: 'id' }, 'unauthorized'],
    ['claim typ Bearer', {}, { typ: 'Bearer' }, 'accepted'],
    ['claim typ ID', {}, { typ: 'ID' }, 'unauthorized'],
    ['claim typ Refresh', {}, { typ: 'Refresh' }, 'unauthorized'],
    ['claim typ of another kind', {}, { typ: 1 }, 'unauthorized'],
    [
      'events of a logout token',
      {},
      { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
      'unauthorized',
    ],
    ['nonce of an identity token', {}, { nonce: 'n' }, 'unauthorized'],
    ['at_hash of an identity token', {}, { at_hash: 'h' }, 'unauthorized'],
    ['nonce of a marked access token', {}, { nonce: 'n', typ: 'Bearer' }, 'accepted'],
  ])('that are marked as another kind of token are refused: %s', async (_, header, claims, expected) => {
    const token = await signed({ ...good, ...claims }, new TextEncoder().encode(appSecret), {
      alg: 'HS256',
      ...header,
    });
    expect(await codeOf(verifier().verify(token))).toBe(expected);
  });

  it('are refused if any character was changed', async () => {
    const token = await hs256(good);
    for (let index = 0; index < token.length; index++) {
      const changed = token[index] === 'A' ? 'B' : 'A';
      const tampered = token.slice(0, index) + changed + token.slice(index + 1);
      if (sameBytes(tampered, token)) continue;
      expect([index, await codeOf(verifier().verify(tampered))]).toEqual([index, 'unauthorized']);
    }
  });

  it.each(['', '.', '..', 'a.b.c', 'a.b', '{}', 'e30.e30.e30'])(
    'that are malformed, as "%s", are refused',
    async (text) => {
      expect(await codeOf(verifier().verify(text))).toBe('unauthorized');
    },
  );
});

/** The last character of base64 has bits that mean nothing. */
function sameBytes(one: string, other: string): boolean {
  const bytes = (token: string): string =>
    token
      .split('.')
      .map((text) => Buffer.from(text, 'base64url').toString('hex'))
      .join();
  return one.split('.').length === other.split('.').length && bytes(one) === bytes(other);
}
