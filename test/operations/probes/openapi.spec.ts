import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Documented, ownPages } from '../../support/documented.js';
import { isForApp } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** These answer nothing but their status. */
const withoutBody = [
  'DELETE /admin/v1/consumers/{name}',
  'DELETE /admin/v1/sessions/{session_id}',
  'DELETE /admin/v1/subscriptions/{subscription_id}',
  'POST /v1/me/link-outcomes',
  'POST /webhooks',
  'PUT /v1/consumers/{name}/position',
];

interface Operation {
  name: string;
  path: string;
  operation: {
    summary?: string;
    tags?: string[];
    security?: Record<string, unknown>[];
    responses: Record<string, { content?: Record<string, { schema?: unknown }>; headers?: Record<string, unknown> }>;
    operationId?: string;
    description?: string;
    requestBody?: object;
    'x-role'?: string;
  };
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation['operation'] | undefined;
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, path, operation }] : [];
    }),
  );
}

/** `GET /a/{b}` for every route of a tree as Fastify prints it. */
function routesOf(tree: string): string[] {
  const trail: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent, part, allowed] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (indent === undefined || part === undefined) return [];
    trail.splice(indent.length / 4, trail.length, part);
    const path = trail.join('').replace(/:(\w+)/g, '{$1}');
    if (ownPages.test(path)) return [];
    return (allowed ?? '').split(', ').flatMap((method) => (method === 'HEAD' ? [] : [`${method} ${path}`]));
  });
}

function refsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : refsOf(value),
  );
}

function classesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return classesOf(path);
    return [...readFileSync(path, 'utf8').matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map((m) =>
      String(m[1]),
    );
  });
}

describe('the OpenAPI document', () => {
  let app: TestApp;
  let document: OpenAPIObject;
  let operations: Operation[];

  beforeAll(async () => {
    app = await TestApp.create();
    document = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    operations = operationsOf(document);
  });

  afterAll(() => app.close());

  const without = (holds: (operation: Operation) => boolean): string[] =>
    operations.filter((operation) => !holds(operation)).map(({ name }) => name);
  const success = ({ operation }: Operation): [string, { content?: Record<string, { schema?: unknown }> }][] =>
    Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));

  it('is OpenAPI 3.1 and needs no login', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.title).toBe('Pulsekeep');
  });

  it('has every route that is served, and no other', () => {
    const served = routesOf(app.pulsekeep.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }));
    expect(served.length).toBeGreaterThan(20);
    expect(operations.map(({ name }) => name).sort()).toEqual(served.sort());
  });

  it('has a summary and one known tag for every operation', () => {
    const tags = (document.tags ?? []).map(({ name }) => name);
    expect(without(({ operation }) => Boolean(operation.summary))).toEqual([]);
    expect(without(({ operation }) => operation.tags?.length === 1 && tags.includes(operation.tags[0] ?? ''))).toEqual(
      [],
    );
  });

  it('describes the responses of every operation', () => {
    expect(without((operation) => success(operation).length > 0)).toEqual([]);
    const undescribed = without((operation) =>
      success(operation).every(([, { content }]) => Object.values(content ?? {}).some(({ schema }) => schema)),
    );
    expect(undescribed.sort()).toEqual(withoutBody);
  });

  it('describes problems of every operation, and nothing but problems as errors', () => {
    const problems = ({ operation }: Operation): boolean[] =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, { content }]) => Object.keys(content ?? {}).join() === 'application/problem+json');
    expect(without((operation) => problems(operation).length > 0 && problems(operation).every(Boolean))).toEqual([]);
  });

  it('names the login of every operation, and the role where it is for operators', () => {
    const roles = ['monitor', 'viewer', 'reader', 'operator'];
    const login = ({ operation }: Operation): string => (operation.security ?? []).flatMap(Object.keys).join();
    const isForKeys = (path: string): boolean => !isForApp(path) && /^\/(?:admin\/)?v1\//.test(path);
    const expected = (path: string): string => (isForApp(path) ? 'app' : isForKeys(path) ? 'admin' : '');
    expect(without((operation) => login(operation) === expected(operation.path))).toEqual([]);
    expect(Object.keys(document.components?.securitySchemes ?? {}).sort()).toEqual(['admin', 'app']);
    expect(without(({ path, operation }) => roles.includes(operation['x-role'] ?? '') === isForKeys(path))).toEqual([]);
  });

  it('has a separate class for every schema, because another of the same name would replace it', () => {
    const made = classesOf(resolve('src'));
    // Those of records are made of their classes and the catalogue.
    const ofRecords = /^(Traced)?[A-Z]\w+(Record|Sample)$|^[A-Z]\w+Data$/;
    const names = Object.keys(document.components?.schemas ?? {}).filter((name) => !ofRecords.test(name));
    expect(names.filter((name) => made.filter((other) => other === name).length !== 1)).toEqual([]);
  });

  it('names every operation plainly and once', () => {
    const ids = operations.map(({ operation }) => operation.operationId ?? '');
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has for every operation its path, its callers, its headers and its early refusals', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    expect(without(({ operation }) => (operation.description ?? '').length > 20)).toEqual([]);
    expect(without(({ operation }) => Array.isArray(operation.security))).toEqual([]);
    const headersOf = (operation: Operation['operation'], status: string): string[] =>
      Object.keys(operation.responses[status]?.headers ?? {});
    expect(
      without(({ operation }) =>
        Object.keys(operation.responses).every((s) => headersOf(operation, s).includes('x-request-id')),
      ),
    ).toEqual([]);
    expect(without(({ operation }) => headersOf(operation, '405').includes('Allow'))).toEqual([]);
    expect(
      without(
        ({ operation }) => !operation.responses['401'] || headersOf(operation, '401').includes('www-authenticate'),
      ),
    ).toEqual([]);
    expect(without(({ operation }) => (operation.requestBody !== undefined) === '415' in operation.responses)).toEqual(
      [],
    );
  });

  it('closes every object that names its fields, unless it is declared open', () => {
    const open: string[] = [];
    const walk = (node: unknown, trail: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, properties, additionalProperties } = node as Record<string, unknown>;
      if (type === 'object' && typeof properties === 'object' && additionalProperties === undefined) open.push(trail);
      for (const [key, value] of Object.entries(node)) if (!key.startsWith('example')) walk(value, `${trail}/${key}`);
    };
    walk(document, '');
    expect(open).toEqual([]);
    expect(document.components?.schemas?.['ProblemDto']).toMatchObject({ additionalProperties: false });
  });

  it('shows the patterns of texts in the dialect of JSON Schema', () => {
    const patterns: string[] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { pattern, example } = node as { pattern?: unknown; example?: unknown };
      if (typeof pattern === 'string') {
        patterns.push(pattern);
        if (typeof example === 'string') expect(example).toMatch(new RegExp(pattern, 'u'));
      }
      for (const value of Object.values(node)) walk(value);
    };
    walk(document);
    expect(patterns.length).toBeGreaterThan(20);
    expect(() => patterns.map((pattern) => new RegExp(pattern, 'u'))).not.toThrow();
  });

  it('returns 405 with the allowed methods for an unknown method, and 415 for another type of body', async () => {
    const paths = Object.entries(document.paths);
    const wrong: string[] = [];
    for (const [path, item] of paths) {
      const described = item as Record<string, Operation['operation']>;
      const method = ['PUT', 'DELETE', 'PATCH', 'POST'].find((name) => !(name.toLowerCase() in described)) ?? '';
      const response = await fetch(`${app.url}${path.replace(/\{\w+\}/g, 'x')}`, { method });
      const { code } = (await response.json()) as { code: string };
      const [first] = Object.values(described);
      const said = (first?.responses['405']?.headers?.['Allow'] as { example: string }).example;
      const allow = response.headers.get('allow') ?? '';
      const all = said.split(', ').every((name) => allow.split(', ').includes(name));
      if (response.status !== 405 || code !== 'method_not_allowed' || !all) wrong.push(`${method} ${path} ${allow}`);
    }
    expect(wrong).toEqual([]);
    expect((await fetch(`${app.url}/nowhere`, { method: 'PUT' })).status).toBe(404);
    const headers = { 'content-type': 'text/csv', authorization: 'Bearer operator-key' };
    const csv = await fetch(`${app.url}/admin/v1/accounts`, { method: 'POST', headers, body: 'account_id\nx' });
    expect([csv.status, (await csv.json()) as object]).toEqual([
      415,
      expect.objectContaining({ code: 'unsupported_media_type' }),
    ]);
  });

  it('has no dangling references', () => {
    const held = Object.entries(document.components ?? {}).flatMap(([kind, parts]) =>
      Object.keys((parts ?? {}) as object).map((name) => `#/components/${kind}/${name}`),
    );
    const missing = refsOf(document).filter((ref) => !held.includes(ref));
    expect(held.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });
});

describe('the judge of responses', () => {
  const object = (properties: object): object => ({ type: 'object', required: Object.keys(properties), properties });
  const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
  const inner = { $ref: '#/components/schemas/Inner' };
  const judge = new Documented({
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: {
      '/a/{id}': { get: { responses: { 200: json(object({ inner, list: { type: 'array', items: inner } })) } } },
      '/a/all': { get: { responses: { 204: {} } } },
    },
    components: { schemas: { Inner: object({ at: { type: 'string', format: 'date-time' } }) } },
  } as unknown as OpenAPIObject);
  const seen = { method: 'GET', path: '/a/1', status: 200, contentType: 'application/json; charset=utf-8' };
  const at = '2026-11-20T12:00:00.000Z';

  it('finds nothing wrong with a response that matches', () => {
    expect(judge.faultsOf({ ...seen, body: { inner: { at }, list: [{ at }] } })).toEqual([]);
    expect(judge.faultsOf({ ...seen, path: '/a/all', status: 204, contentType: null, body: '' })).toEqual([]);
  });

  it.each([
    ['a field too many', { body: { inner: { at, more: 1 }, list: [] } }],
    ['a field too few', { body: { list: [] } }],
    ['a wrong format', { body: { inner: { at: 'today' }, list: [] } }],
    ['a wrong element', { body: { inner: { at }, list: [{}] } }],
    ['another status', { status: 201, body: {} }],
    ['another type', { contentType: 'text/plain', body: '' }],
    ['another method', { method: 'PUT', body: {} }],
    ['a body too many', { path: '/a/all', status: 204, body: {} }],
    ['another path', { path: '/b', body: {} }],
  ])('finds %s', (_fault, given) => {
    expect(judge.faultsOf({ ...seen, ...given })).toHaveLength(1);
  });
});

describe('the browsable form', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(() => app.close());

  it('loads nothing from other hosts', async () => {
    const page = await app.call<string>('GET', '/docs');
    expect(page.status).toBe(200);
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => String(match[1]));
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).toMatch(/^\.\/docs\//);
      expect((await app.call('GET', link.slice(1))).status).toBe(200);
    }
    const start = await app.call<string>('GET', '/docs/swagger-ui-init.js');
    expect(start.body).toContain('"validatorUrl": null');
  });

  it('returns a problem for an unknown part', async () => {
    const { status, body } = await app.call('GET', '/docs/nothing-here');
    expect([status, body['code']]).toEqual([404, 'not_found']);
  });
});
