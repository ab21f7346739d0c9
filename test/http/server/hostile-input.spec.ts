import type { OpenAPIObject } from '@nestjs/swagger';
import { adminKeys, isForApp, newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/** What every object has or is made by: a table that is looked up by it without care finds something. */
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
/** Characters that a store, a log or a terminal cannot hold as they are. */
const controls = ['\u0000', 'a\u0000b', '\u0001', 'a\u001f', '\u007f', '\u0085'];

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
}

interface Operation {
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** What a call was answered; the code of a problem, if it is one. */
interface Told {
  readonly what: string;
  readonly status: number;
  readonly code: string | undefined;
}

describe('hostile input on every route of the OpenAPI document', () => {
  let app: TestApp;
  let document: OpenAPIObject;
  let routes: Route[];
  let token: string;

  beforeAll(async () => {
    app = await TestApp.create();
    document = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const account = newAccountId();
    await app.as(account, 'POST', '/me/sign-in-token', {});
    token = await app.appToken(account);
    routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
  });

  afterAll(() => app.close());

  async function call({ method, path }: Pick<Route, 'method' | 'path'>, body?: string): Promise<Told> {
    const filled = path.replace(/\{resource\}/g, 'sleep').replace(/\{\w+\}/g, 'x');
    const bearer = isForApp(path) ? token : adminKeys.operator;
    const headers = {
      authorization: `Bearer ${bearer}`,
      'idempotency-key': newAccountId(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await fetch(`${app.url}${filled}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const code = /"code":"(\w+)"/.exec(text)?.[1];
    return { what: `${method} ${path} ${body ?? ''}`, status: response.status, code };
  }

  const ofBody = ({ operation }: Route): Schema | undefined =>
    Object.values(operation.requestBody?.content ?? {})[0]?.schema;

  const resolved = (schema: Schema): Schema =>
    schema.$ref ? (document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema;

  /** Fields of a body, and of what is within it: `body(value)` is the JSON of a body with the value at that place. */
  function fields(schema: Schema, depth = 0): { name: string; schema: Schema; body: (json: string) => string }[] {
    const { properties = {}, allOf = [] } = resolved(schema);
    const own: [string, Schema][] = [properties, ...allOf.map((part) => resolved(part).properties ?? {})].flatMap(
      (part) => Object.entries(part),
    );
    return own.flatMap(([name, inner]) => {
      const body = (json: string): string => `{${JSON.stringify(name)}:${json}}`;
      const nested = depth < 3 ? fields(inner.items ?? inner, depth + 1) : [];
      const around = (json: string): string => body(inner.type === 'array' ? `[${json}]` : json);
      return [
        { name, schema: resolved(inner), body },
        ...nested.map((field) => ({ ...field, body: (json: string) => around(field.body(json)) })),
      ];
    });
  }

  /** 415: a route of a form takes no JSON. */
  const isRefused = ({ status }: Told): boolean => [400, 415].includes(status);
  const told = (answers: readonly Told[]): string[] =>
    answers.map(({ what, status, code }) => `${what}: ${status} ${code}`);

  it('finds nothing by an inherited property name, in a path or as the value of a filter', async () => {
    const answers: Told[] = [];
    for (const route of routes) {
      const places = (route.operation.parameters ?? []).filter(
        ({ in: place }) => place === 'path' || place === 'query',
      );
      for (const { name, in: place } of places) {
        for (const word of inherited) {
          const path = place === 'path' ? route.path.replace(`{${name}}`, word) : `${route.path}?${name}=${word}`;
          answers.push(await call({ ...route, path }));
        }
      }
    }
    expect(answers.length).toBeGreaterThan(300);
    expect(told(answers.filter(({ status }) => status >= 500))).toEqual([]);
  });

  it.each(inherited)('does not set the field %s, in a query or in a body', async (word) => {
    const queries: Told[] = [];
    const bodies: Told[] = [];
    for (const route of routes.filter(({ path }) => path.startsWith('/v1') || path.startsWith('/admin'))) {
      queries.push(await call({ ...route, path: `${route.path}?${word}=1` }));
      const schema = ofBody(route);
      if (!schema) continue;
      bodies.push(await call(route, `{"${word}":{"a":1}}`));
      for (const { body, schema: inner } of fields(schema)) {
        if (inner.properties) bodies.push(await call(route, body(`{"${word}":{"a":1}}`)));
      }
    }
    expect(queries.length).toBeGreaterThan(50);
    expect(bodies.length).toBeGreaterThan(15);
    expect(told([...queries, ...bodies].filter((answer) => !isRefused(answer)))).toEqual([]);
  });

  it('puts no control character into the id of an account, on any route', async () => {
    const answers: Told[] = [];
    for (const route of routes) {
      const named = (route.operation.parameters ?? []).filter(({ name }) => name === 'account_id' || name === 'q');
      for (const text of controls) {
        const written = encodeURIComponent(text);
        for (const { name, in: place } of named) {
          const path =
            place === 'path' ? route.path.replace('{account_id}', written) : `${route.path}?${name}=${written}`;
          answers.push(await call({ ...route, path }));
        }
        const schema = ofBody(route);
        for (const field of schema ? fields(schema) : []) {
          if (field.name === 'account_id') answers.push(await call(route, field.body(JSON.stringify(text))));
        }
      }
    }
    expect(answers.length).toBeGreaterThan(80);
    expect(told(answers.filter((answer) => !isRefused(answer)))).toEqual([]);
  });

  it('stores no zero byte from any text of a query or a body, and causes no failure', async () => {
    const answers: Told[] = [];
    for (const route of routes.filter(({ path }) => path !== '/webhooks')) {
      for (const { name, in: place } of route.operation.parameters ?? []) {
        if (place === 'query') answers.push(await call({ ...route, path: `${route.path}?${name}=a%00b` }));
      }
      const schema = ofBody(route);
      for (const { body } of schema ? fields(schema) : []) {
        answers.push(await call(route, body('"a\\u0000b"')), await call(route, body('["a\\u0000b"]')));
        answers.push(await call(route, body('"a\\ud800b"')));
      }
    }
    expect(answers.length).toBeGreaterThan(100);
    expect(told(answers.filter(({ status }) => status >= 500 || status < 400))).toEqual([]);
  });
});
