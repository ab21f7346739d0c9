import type { OpenAPIObject } from '@nestjs/swagger';
import { SignJWT } from 'jose';
import { appSecret, isForApp, webhookSecret } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { Marks } from './support/marks.js';
import { type Sent, Watched } from './support/watched.js';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

interface Described {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string }[];
  fields: string[];
  bearer: string;
}

type Way = (operation: Operation) => readonly Sent[];

const marks = new Marks();
const text = marks.text('a text of the caller');
const address = marks.address('an address of the caller');
const account = marks.text('the account of the token');
const encoded = encodeURIComponent(address);

const json = { 'content-type': 'application/json' };
const filled = (path: string, value: string): string => path.replaceAll(/\{\w+\}/g, value);
const hasBody = ({ method }: Operation): boolean => method !== 'GET';
const login = ({ bearer }: Operation): Record<string, string> => (bearer ? { authorization: bearer } : {});

function withBody(operation: Operation, bodies: readonly unknown[]): Sent[] {
  if (!hasBody(operation)) return [];
  const path = filled(operation.path, 'x');
  return bodies.map((body) => ({
    method: operation.method,
    path,
    headers: { ...login(operation), ...json, 'idempotency-key': 'key-of-the-test' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }));
}

function withHeaders(operation: Operation, headers: Record<string, string>): Sent[] {
  const { method, path } = operation;
  const body = hasBody(operation) ? { body: '{}' } : {};
  const given = { ...login(operation), ...(hasBody(operation) ? json : {}), ...headers };
  return [{ method, path: filled(path, 'x'), headers: given, ...body }];
}

/** What a caller can get wrong or slip in, each for every operation that is served. */
const ways: [name: string, way: Way][] = [
  [
    'ids of nobody',
    (operation) => {
      const { method, path } = operation;
      const ids = [text, encoded, `${text}%00`, text.repeat(40)];
      return ids.map((id) => ({ method, path: filled(path, id), headers: login(operation) }));
    },
  ],
  [
    'parameters that are no such values',
    (operation) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name }) => [
          `${name}=${encoded}`,
          `${name}=${text}&${name}=${text}`,
          `${name}[${text}]=1`,
          `${name}=${text}%00`,
        ])
        .map((query) => {
          const { method, path } = operation;
          return { method, path: `${filled(path, 'x')}?${query}`, headers: login(operation) };
        }),
  ],
  [
    'parameters nobody knows',
    (operation) => {
      const { method, path } = operation;
      return [
        { method, path: `${filled(path, 'x')}?${encoded}=${text}&access_token=${text}`, headers: login(operation) },
      ];
    },
  ],
  [
    'fields that hold something else',
    (operation) =>
      operation.fields.flatMap((field) =>
        withBody(operation, [{ [field]: address }, { [field]: { [address]: text } }, { [field]: [text, [address]] }]),
      ),
  ],
  [
    'fields nobody knows',
    (operation) => withBody(operation, [{ [address]: text }, { __proto__: text, toString: text }]),
  ],
  [
    'bodies that are no JSON',
    (operation) =>
      withBody(operation, [`{"${text}": ${text}`, `"${text}"`, `[${JSON.stringify(text)}]`, `{"a":"${text}"}}`]),
  ],
  ['bodies nested too deeply', (operation) => withBody(operation, [`{"${text}":${'['.repeat(50)}${']'.repeat(50)}}`])],
  ['bodies that are too large', (operation) => withBody(operation, [{ [text]: text.repeat(20_000) }])],
  [
    'bodies of another type',
    (operation) =>
      ['text/plain', 'application/x-www-form-urlencoded', `multipart/form-data; boundary=${text}`, `x/${text}`].flatMap(
        (type) =>
          withBody(operation, [text]).map((sent) => ({ ...sent, headers: { ...sent.headers, 'content-type': type } })),
      ),
  ],
  [
    'headers that hold what they like',
    (operation) =>
      withHeaders(operation, {
        'x-request-id': address,
        'idempotency-key': `${text} ${address}`,
        'x-forwarded-for': text,
        'x-forwarded-host': text,
        'x-api-key': text,
        'x-service-api-key': text,
        'user-agent': text,
        accept: `text/${text}`,
        'accept-language': text,
        cookie: `session=${text}`,
        forwarded: `for=${text}`,
        'if-none-match': `"${text}"`,
        origin: `https://${text}.example`,
        range: `bytes=${text}`,
        referer: `https://x.example/?token=${text}`,
        traceparent: text,
      }),
  ],
  ['a packed body', (operation) => (hasBody(operation) ? withHeaders(operation, { 'content-encoding': text }) : [])],
  [
    'credentials that admit nobody',
    (operation) =>
      [
        `Bearer ${text}`,
        `Basic ${Buffer.from(`${address}:${text}`).toString('base64')}`,
        text,
        `Bearer a.${text}.b`,
      ].flatMap((authorization) => withHeaders(operation, { authorization })),
  ],
  [
    'methods nobody serves',
    ({ path }) =>
      ['OPTIONS', 'PUT', 'DELETE', 'QUERY'].map((method) => ({
        method,
        path: filled(path, text),
        headers: { cookie: text },
      })),
  ],
  [
    'addresses nobody serves',
    (operation) => {
      const path = filled(operation.path, 'x');
      const others = [`${path}/${text}`, `/${text}?a=${text}`, `${path}/%E0%A4%A${text}`, `//${text}`];
      return others.map((other) => ({ method: operation.method, path: other, headers: login(operation) }));
    },
  ],
];

describe('nothing of a request is in a log, a metric, a header or an error', () => {
  let watched: Watched;
  let operations: Operation[];

  beforeAll(async () => {
    watched = await Watched.create([marks]);
    const { app } = watched;
    const appBearer = `Bearer ${marks.known('an access token', await app.appToken(account))}`;
    const document = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const fieldsOf = ({ $ref, properties }: Schema = {}): string[] => {
      const named = document.components?.schemas?.[$ref?.split('/').at(-1) ?? ''] as Schema | undefined;
      return Object.keys((named ?? { properties }).properties ?? {});
    };
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Described>).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        fields: fieldsOf(operation.requestBody?.content['application/json']?.schema),
        bearer: isForApp(path) ? appBearer : /^\/(?:admin\/)?v1\//.test(path) ? 'Bearer operator-key' : '',
      })),
    );
    marks.known('an admin key', 'operator-key');
    marks.known('the secret of access tokens', appSecret);
    marks.known('the webhook secret', webhookSecret.replace('whsec_', ''));
    await app.as(account, 'POST', '/me/sign-in-token', {});
  });

  afterAll(() => watched.close());

  it.each(ways)('with %s', async (_, way) => {
    const sent = operations.flatMap(way);
    const statuses: number[] = [];
    const broken: string[] = [];
    for (const request of sent) {
      const status = await watched.send(request);
      statuses.push(status);
      if (status === 500) broken.push(`${request.method} ${request.path.slice(0, 100)}`);
    }
    expect(sent.length).toBeGreaterThan(10);
    expect(statuses.filter((status) => status >= 400).length).toBeGreaterThan(sent.length / 3);
    expect(broken).toEqual([]);
    expect(await watched.leaks()).toEqual([]);
  });

  it.each<[string, (secret: Uint8Array) => Promise<string>]>([
    ['names an address as the account', (key) => signed(new SignJWT({}).setSubject(address), key)],
    ['names no account', (key) => signed(new SignJWT({ email: address, name: text }), key)],
    ['has expired', (key) => signed(new SignJWT({ email: address }).setSubject(text), key, -3_600)],
    ['has another signature', (key) => signed(new SignJWT({ email: address }).setSubject(text), key.toReversed())],
  ])('with an access token that %s', async (_, made) => {
    const token = marks.known('an access token', await made(new TextEncoder().encode(appSecret)));
    for (const { method, path } of operations.filter((operation) => isForApp(operation.path))) {
      await watched.send({ method, path: filled(path, 'sleep'), headers: { authorization: `Bearer ${token}` } });
    }
    expect(await watched.leaks()).toEqual([]);
  });

  it.each<[string, (id: string) => ReturnType<typeof signedMessage>]>([
    ['is signed by nobody', (id) => signedMessage(id, text, `whsec_${Buffer.from(text).toString('base64')}`)],
    ['is long past', (id) => signedMessage(id, text, webhookSecret, 0)],
    ['has no headers', (id) => ({ headers: { 'svix-id': `${id} ${address}`, cookie: text }, body: text })],
    ['is too large', (id) => signedMessage(id, text.repeat(400_000))],
  ])('as a delivery that %s', async (_, made) => {
    const { headers, body } = made(text);
    // So many refusals before it, within one minute, would leave it unlogged.
    watched.app.clock.advance(60_000);
    expect(await watched.send({ method: 'POST', path: '/webhooks', headers, body })).toBeGreaterThanOrEqual(400);
    expect(watched.logged()).toContain('webhook.refused');
    expect(await watched.leaks()).toEqual([]);
  });

  function signed(token: SignJWT, key: Uint8Array, seconds = 600): Promise<string> {
    const now = Math.floor(watched.app.clock.now() / 1_000);
    return token
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  }
});
