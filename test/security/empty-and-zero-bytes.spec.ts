// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import type { OpenAPIObject } from '@nestjs/swagger';
import { adminKeys, isForApp } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { type Route, routesOf } from './support/attacks.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly enum?: readonly string[]; readonly pattern?: string; readonly format?: string };
  readonly example?: string | number | boolean;
}

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** PostgreSQL takes no zero byte in a text; SQLite ends some at it. */
const ZERO = 'a\u0000b';

describe('every route of the OpenAPI document, on a database without a row', () => {
  let app: TestApp;
  let routes: Route[];

  beforeAll(async () => {
    app = await TestApp.create();
    routes = routesOf((await app.call<OpenAPIObject>('GET', '/openapi.json')).body).filter(
      ({ path }) => path !== '/webhooks' && path !== '/livez',
    );
  });

  afterAll(() => app.close());

  const parametersOf = ({ operation }: Route): readonly Parameter[] => operation.parameters ?? [];
  const usual = ({ name, schema, example }: Parameter): string =>
    String(example ?? schema?.enum?.[0] ?? (/day|date|from|to|at/.test(name) ? '2026-11-01' : 'sleep'));
  const exampleBody = ({ operation }: Route): unknown => {
    const { content } = (operation.requestBody ?? {}) as { content?: Readonly<Record<string, Media>> };
    const media = content?.['application/json'];
    return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  };
  const token = ({ path }: Route): Promise<string> =>
    isForApp(path) ? app.appToken('nobody-yet') : Promise.resolve(adminKeys.operator);

  interface Change {
    readonly path?: string;
    readonly query?: readonly [string, string];
    readonly body?: unknown;
  }

  async function answer(route: Route, change: Change = {}): Promise<string | null> {
    const parameters = parametersOf(route);
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      return encodeURIComponent(change.path ?? usual(parameter ?? { name, in: 'path' }));
    });
    const query = new URLSearchParams();
    for (const each of parameters) if (each.in === 'query' && each.required) query.set(each.name, usual(each));
    if (change.query) query.set(...change.query);
    const body = 'body' in change ? change.body : route.method === 'GET' ? undefined : exampleBody(route);
    const response = await fetch(`${app.url}${path}?${query.toString()}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${await token(route)}`,
        'idempotency-key': 'key-1',
        'x-access-reason': 'test',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status === 500 ? `${route.method} ${route.path} ${JSON.stringify(change).slice(0, 200)}` : null;
  }

  const faults = async (tries: readonly (readonly [Route, Change])[]): Promise<string[]> => {
    const found: string[] = [];
    for (const [route, change] of tries) {
      const fault = await answer(route, change);
      if (fault !== null) found.push(fault);
    }
    return found;
  };

  it('responds without a 500', async () => {
    expect(routes.length).toBeGreaterThan(70);
    expect(await faults(routes.filter(({ method }) => method === 'GET').map((route) => [route, {}] as const))).toEqual(
      [],
    );
  });

  it('responds to a zero byte in its path, query and body without a 500', async () => {
    const tries = routes.flatMap((route) => {
      const ofPath = route.path.includes('{') ? [[route, { path: ZERO }] as const] : [];
      const ofQuery = parametersOf(route)
        .filter((each) => each.in === 'query')
        .map(({ name }) => [route, { query: [name, ZERO] }] as const);
      const ofBody = withZeros(exampleBody(route)).map((body) => [route, { body }] as const);
      return [...ofPath, ...ofQuery, ...ofBody];
    });
    expect(tries.length).toBeGreaterThan(200);
    expect(await faults(tries)).toEqual([]);
  });
});

/** The same value with one text in it replaced at a time, and one name added. */
function withZeros(value: unknown): unknown[] {
  if (typeof value === 'string') return [ZERO];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      withZeros(item).map((changed) => value.map((each, at): unknown => (at === index ? changed : each))),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, item]) =>
    withZeros(item).map((changed) => ({ ...value, [name]: changed })),
  );
  return [...inside, { ...value, [ZERO]: ZERO }];
}
