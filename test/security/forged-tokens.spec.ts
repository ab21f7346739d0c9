import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ask } from '../../chaos/fuzz/judge.js';
import { Rng } from '../../sandbox/engine/random.js';
import { accessToken, appSecret, START } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { amount, seed } from './support/amount.js';
import { type Route, routesOf } from './support/attacks.js';

/** In `npm test`; `npm run test:security` sends all of them. */
const FEW = 800;
const seconds = Math.floor(START / 1000);
const issuer = 'https://login.example.com';
const claims = { sub: 'victim', iss: issuer, aud: 'pulsekeep', iat: seconds, exp: seconds + 600 };

type Json = Readonly<Record<string, unknown>>;
const encode = (value: Json | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const unsigned = (header: Json | string, payload: Json | string): string => `${encode(header)}.${encode(payload)}`;
const withHmac = (header: Json, payload: Json | string, key: string | Buffer, hash = 'sha256'): string => {
  const text = unsigned(header, payload);
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
};
const withRsa = (header: Json, payload: Json, key: KeyObject): string => {
  const text = unsigned(header, payload);
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

describe(`forged access tokens, seed ${seed}`, () => {
  const ours = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const theirs = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let published: Server;
  let attackers: Server;
  let fetched = 0;
  let bySecret: TestApp;
  let byKeySet: TestApp;
  let routes: Route[];

  const serving = async (keys: () => object): Promise<Server> => {
    const server = createServer((_, response) => response.end(JSON.stringify(keys())));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  };
  const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const jwk = (key: KeyObject): object => ({
    ...key.export({ format: 'jwk' }),
    kid: 'key-1',
    alg: 'RS256',
    use: 'sig',
  });

  beforeAll(async () => {
    published = await serving(() => ({ keys: [jwk(ours.publicKey)] }));
    attackers = await serving(() => {
      fetched++;
      return { keys: [jwk(theirs.publicKey)] };
    });
    const named = { APP_JWT_ISSUER: issuer, APP_JWT_AUDIENCE: 'pulsekeep' };
    bySecret = await TestApp.create({ env: named });
    byKeySet = await TestApp.create({
      env: { ...named, APP_JWT_SECRET: undefined, APP_JWT_JWKS_URL: addressOf(published) },
    });
    routes = routesOf((await bySecret.call<OpenAPIObject>('GET', '/openapi.json')).body).filter(({ path }) =>
      /^\/(admin\/)?v1\//.test(path),
    );
  });

  afterAll(async () => {
    agent.destroy();
    for (const server of [published, attackers]) server.close();
    await bySecret.close();
    await byKeySet.close();
  });

  /** By what is wrong with each. */
  function forgeries(): Record<string, string> {
    const hs = { alg: 'HS256', typ: 'JWT' };
    const rs = { alg: 'RS256', kid: 'key-1' };
    const elsewhere = addressOf(attackers);
    const publicPem = ours.publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const publicJwk = JSON.stringify(jwk(ours.publicKey));
    const good = withHmac(hs, claims, appSecret);
    const [head = '', , signature = ''] = good.split('.');
    const alteredClaims: Record<string, Json> = {
      expired: { ...claims, exp: seconds - 60 },
      'without expiry': { ...claims, exp: undefined },
      'with expiry as a text': { ...claims, exp: String(seconds + 600) },
      'with an endless expiry': { ...claims, exp: '1e999' },
      'not valid yet': { ...claims, nbf: seconds + 600 },
      'of another issuer': { ...claims, iss: 'https://elsewhere.example.com' },
      'of an issuer that begins alike': { ...claims, iss: `${issuer}.example.com` },
      'of no issuer': { ...claims, iss: undefined },
      'for another audience': { ...claims, aud: 'another' },
      'for an audience that begins alike': { ...claims, aud: 'pulsekeep-admin' },
      'for nobody': { ...claims, aud: [] },
      'of no account': { ...claims, sub: undefined },
      'of a list of accounts': { ...claims, sub: ['victim'] },
      'of an account with a zero byte': { ...claims, sub: 'victim\u0000' },
      'of an account by prototype': { ...claims, sub: undefined, __proto__: { sub: 'victim' } },
    };
    const signedRightly = Object.entries(alteredClaims).flatMap(([what, payload]): [string, string][] => [
      [`by secret, ${what}`, withHmac(hs, payload, appSecret)],
      [`by key, ${what}`, withRsa(rs, payload, ours.privateKey)],
    ]);
    return {
      ...Object.fromEntries(signedRightly),
      ...Object.fromEntries(
        ['none', 'None', 'NONE', 'nOnE', '', 'HS256 '].flatMap((alg): [string, string][] => [
          [`of algorithm "${alg}"`, `${unsigned({ alg }, claims)}.`],
          [`of algorithm "${alg}" with a signature`, `${unsigned({ alg }, claims)}.${signature}`],
        ]),
      ),
      'without an algorithm': `${unsigned({ typ: 'JWT' }, claims)}.${signature}`,
      'of a list of algorithms': `${unsigned({ alg: ['HS256'] }, claims)}.${signature}`,
      'by HS512 of the secret': withHmac({ alg: 'HS512' }, claims, appSecret, 'sha512'),
      'by an empty secret': withHmac(hs, claims, ''),
      'by another secret': withHmac(hs, claims, 'another-secret-of-at-least-32-bytes-length'),
      'by the public key as a secret': withHmac(hs, claims, publicPem),
      'by the public key as a secret, named': withHmac({ ...hs, kid: 'key-1' }, claims, publicPem.trim()),
      'by the published key as a secret': withHmac({ ...hs, kid: 'key-1' }, claims, publicJwk),
      'by another key': withRsa(rs, claims, theirs.privateKey),
      'by another key, without its name': withRsa({ alg: 'RS256' }, claims, theirs.privateKey),
      'by another key, called by the secret': withRsa({ alg: 'HS256', kid: 'key-1' }, claims, theirs.privateKey),
      'with a key of its own': withRsa({ ...rs, jwk: jwk(theirs.publicKey) }, claims, theirs.privateKey),
      'with a key set of its own': withRsa({ ...rs, jku: elsewhere }, claims, theirs.privateKey),
      'with a certificate of its own': withRsa({ ...rs, x5u: elsewhere, x5c: ['AAAA'] }, claims, theirs.privateKey),
      'with a key at a path': withHmac({ ...hs, kid: '../../../../dev/null' }, claims, ''),
      'with a key at an address': withRsa({ ...rs, kid: elsewhere }, claims, theirs.privateKey),
      'with a key by statement': withHmac({ ...hs, kid: `' UNION SELECT 'x` }, claims, 'x'),
      'with a key of a long name': withRsa({ ...rs, kid: 'k'.repeat(4_000) }, claims, theirs.privateKey),
      'with a key that is an object': withRsa({ ...rs, kid: { a: 1 } }, claims, theirs.privateKey),
      'with what must be understood': withHmac({ ...hs, crit: ['exp'], exp: 1 }, claims, appSecret),
      'with a payload as it is': withHmac({ ...hs, b64: false, crit: ['b64'] }, claims, appSecret),
      packed: withHmac({ ...hs, zip: 'DEF' }, `${JSON.stringify(claims)}x`, appSecret),
      'with the payload of another': `${head}.${encode({ ...claims, sub: 'attacker' })}.${signature}`,
      'with half a signature': good.slice(0, -20),
      'without a signature': `${good.split('.').slice(0, 2).join('.')}.`,
      'with a signature twice': `${good}.${signature}`,
      'of five parts': `${encode({ alg: 'dir', enc: 'A256GCM' })}.x.y.z.w`,
      'of a payload that is no object': withHmac(hs, '"victim"', appSecret),
      'of a payload that is a list': withHmac(hs, '[]', appSecret),
      'of a payload that is none': withHmac(hs, '{', appSecret),
      'of nothing': '..',
      'of a million dots': '.'.repeat(8_000),
      'very long': `${good}${'A'.repeat(12_000)}`,
      'of a long payload': withHmac(hs, { ...claims, exp: 1, pad: 'x'.repeat(9_000) }, appSecret),
      'an operator key': 'operator-key'.repeat(2),
      'in quotes': `"${good}"`,
    };
  }

  const calls = async (): Promise<number> =>
    (await bySecret.callsTo('POST /v2/user')) + (await byKeySet.callsTo('POST /v2/user'));

  it('open no route in either configuration, and none of their URLs is called', async () => {
    const made = Object.entries(forgeries()).flatMap(([what, token]) =>
      routes.flatMap((route) => [bySecret, byKeySet].map((app) => ({ what, token, route, app }))),
    );
    expect(made.length).toBeGreaterThan(8_000);
    const chosen = new Rng(seed, 'tokens').shuffle(made).slice(0, amount(FEW, made.length));
    const before = await calls();
    const open: string[] = [];
    let next = 0;
    const one = async (): Promise<void> => {
      for (let each = chosen[next++]; each; each = chosen[next++]) {
        const { what, token, route, app } = each;
        const path = route.path.replace(/\{\w+\}/g, 'x');
        const headers = { authorization: `Bearer ${token}` };
        const seen = await ask(app.url, { method: route.method, path, headers, body: undefined }, agent);
        // What is too long for a header never gets to a guard.
        if (typeof seen === 'string' || ![401, 431].includes(seen.status)) {
          open.push(`${route.method} ${route.path} ${what}: ${typeof seen === 'string' ? seen : seen.status}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));
    expect(open.slice(0, 20)).toEqual([]);
    expect([fetched, await calls()]).toEqual([0, before]);
    process.stdout.write(`${chosen.length} of ${made.length} forged tokens, seed ${seed}\n`);
  });

  it('would be accepted if they were valid, and only as a bearer in the header', async () => {
    const rightBySecret = withHmac({ alg: 'HS256' }, claims, appSecret);
    const rightByKey = withRsa({ alg: 'RS256', kid: 'key-1' }, claims, ours.privateKey);
    expect((await bySecret.call('GET', '/v1/me', `Bearer ${rightBySecret}`)).status).toBe(200);
    expect((await byKeySet.call('GET', '/v1/me', `Bearer ${rightByKey}`)).status).toBe(200);
    expect((await bySecret.call('GET', '/v1/me', `Bearer ${rightByKey}`)).status).toBe(401);
    expect((await byKeySet.call('GET', '/v1/me', `Bearer ${rightBySecret}`)).status).toBe(401);
    expect((await bySecret.call('GET', '/v1/me', `Bearer ${await accessToken('victim')}`)).status).toBe(401);
    const elsewhere: Record<string, string>[] = [
      { cookie: `authorization=Bearer ${rightBySecret}; access_token=${rightBySecret}` },
      { 'x-access-token': rightBySecret },
      { authorization: `Basic ${rightBySecret}` },
    ];
    for (const headers of elsewhere) expect((await bySecret.call('GET', '/v1/me', headers)).status).toBe(401);
    expect((await bySecret.call('GET', `/v1/me?access_token=${rightBySecret}`)).status).toBe(401);
  });
});
