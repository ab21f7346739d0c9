import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TestApp } from '../../support/test-app.js';

const ranked = ['monitor', 'viewer', 'reader', 'operator'] as const;
type Ranked = (typeof ranked)[number];
const roles = [...ranked, 'backend', 'feed'] as const;

/**
 * Who may call a route: a key of at least this role, with `+backend` the customer's backend, with `+feed` a follower of
 * changes too; the customer's app; or anybody.
 */
type Admitted = Ranked | `${Ranked}+backend` | `${Ranked}+feed` | 'app' | 'anybody';

/** Every route with its role. A route that is not here fails: give it a row. */
const expected: Readonly<Record<string, Admitted>> = {
  'POST /v1/me/sign-in-token': 'app',
  'POST /v1/me/link-token': 'app',
  'POST /v1/me/link-outcomes': 'app',
  'DELETE /v1/me/sources/{}': 'app',
  'GET /v1/me': 'app',
  'DELETE /v1/me': 'app',
  'GET /v1/me/export': 'app',
  'PATCH /v1/me': 'app',
  'GET /v1/me/today': 'app',
  'GET /v1/me/latest': 'app',
  'GET /v1/me/daily': 'app',
  'GET /v1/me/explain': 'app',
  'GET /v1/me/hourly': 'app',
  'GET /v1/me/records/{}': 'app',
  'GET /v1/me/orders': 'app',
  'GET /v1/me/order-transactions/{}': 'app',
  'GET /v1/me/order-transactions/{}/result': 'app',
  'GET /v1/me/orders/{}/requisition.pdf': 'app',
  'GET /v1/me/orders/{}/labels.pdf': 'app',
  'GET /v1/me/orders/{}/collection-instructions.pdf': 'app',
  'GET /v1/me/orders/{}/abn.pdf': 'app',
  'GET /v1/me/orders/{}/places': 'app',
  'GET /v1/labs/areas': 'app',
  'GET /v1/labs/places': 'app',
  'POST /v1/me/lab-reports': 'app',
  'GET /v1/me/lab-reports/{}': 'app',
  'POST /v1/labs/availability': 'app',
  'POST /v1/labs/compendium/search': 'app',
  'POST /v1/labs/compendium/convert': 'app',

  'GET /v1/accounts/{}': 'reader+backend',
  'GET /v1/accounts/{}/today': 'reader+backend',
  'GET /v1/accounts/{}/latest': 'reader+backend',
  'GET /v1/accounts/{}/daily': 'reader+backend',
  'GET /v1/accounts/{}/hourly': 'reader+backend',
  'GET /v1/accounts/{}/records/{}': 'reader+backend',
  'POST /v1/accounts/{}/lab-reports': 'operator+backend',
  'GET /v1/accounts/{}/lab-reports/{}': 'reader+backend',
  'GET /v1/changes': 'viewer+feed',
  'POST /v1/snapshots': 'viewer+feed',
  'PUT /v1/consumers/{}/position': 'operator+feed',
  'GET /admin/v1/consumers': 'viewer',
  'DELETE /admin/v1/consumers/{}': 'operator',

  'POST /webhooks': 'anybody',

  'GET /admin/v1/overview': 'monitor',
  'GET /admin/v1/overview/activity': 'monitor',
  'GET /admin/v1/overview/forecast': 'monitor',
  'GET /admin/v1/doctor': 'operator',
  'GET /admin/v1/alarms': 'monitor',
  'POST /admin/v1/alarms/{}/ack': 'operator',
  'GET /admin/v1/settings': 'viewer',
  'GET /admin/v1/sessions': 'monitor',
  'POST /admin/v1/sessions': 'monitor',
  'GET /admin/v1/sessions/current': 'monitor',
  'DELETE /admin/v1/sessions/{}': 'monitor',
  'GET /admin/v1/accounts': 'viewer+backend',
  'GET /admin/v1/accounts/{}': 'viewer+backend',
  'POST /admin/v1/accounts': 'operator+backend',
  'PATCH /admin/v1/accounts/{}': 'operator+backend',
  'POST /admin/v1/accounts/{}/sign-in-token': 'operator+backend',
  'POST /admin/v1/accounts/{}/link-token': 'operator+backend',
  'DELETE /admin/v1/accounts/{}/sources/{}': 'operator+backend',
  'POST /admin/v1/accounts/{}/sources/{}/disconnect': 'operator+backend',
  'GET /admin/v1/source-priorities': 'viewer+backend',
  'PATCH /admin/v1/source-priorities': 'operator',
  'GET /admin/v1/accounts/{}/source-priorities': 'viewer+backend',
  'PATCH /admin/v1/accounts/{}/source-priorities': 'operator+backend',
  'POST /admin/v1/accounts/{}/relink': 'operator',
  'POST /admin/v1/accounts/{}/block': 'operator',
  'POST /admin/v1/accounts/{}/unblock': 'operator',
  'GET /admin/v1/token-issuance': 'viewer',
  'PUT /admin/v1/token-issuance': 'operator',
  'DELETE /admin/v1/accounts/{}': 'operator',
  'GET /admin/v1/erasures': 'operator',
  'GET /admin/v1/erasures/{}': 'operator',
  'GET /admin/v1/erasure-fences/{}': 'operator',
  'DELETE /admin/v1/erasures/{}/fence': 'operator',
  'GET /admin/v1/accounts/{}/export': 'reader',
  'POST /admin/v1/accounts/import': 'operator',
  'GET /admin/v1/accounts/{}/records/{}': 'reader+backend',
  'GET /admin/v1/accounts/{}/coverage': 'viewer+backend',
  'GET /admin/v1/accounts/{}/timeline': 'viewer',
  'GET /admin/v1/search': 'viewer',
  'GET /admin/v1/accounts/{}/explain': 'viewer',
  'GET /admin/v1/accounts/{}/explanations': 'viewer',
  'POST /admin/v1/accounts/{}/sync': 'operator+backend',
  'GET /admin/v1/sync/tasks': 'viewer+backend',
  'GET /admin/v1/sync/tasks/{}': 'viewer+backend',
  'GET /admin/v1/sync/progress': 'viewer',
  'POST /admin/v1/sync/recover': 'operator',
  'POST /admin/v1/audits': 'operator',
  'GET /admin/v1/audits': 'viewer',
  'GET /admin/v1/audits/{}': 'viewer',
  'POST /admin/v1/audits/{}/cancel': 'operator',
  'GET /admin/v1/accounts/{}/proofs': 'viewer',
  'GET /admin/v1/audit-report': 'operator',
  'GET /admin/v1/audits/{}/report': 'operator',
  'GET /admin/v1/accounts/{}/audit-ref': 'operator',
  'GET /admin/v1/historical-pulls': 'viewer',
  'GET /admin/v1/messages': 'viewer',
  'GET /admin/v1/messages/groups': 'viewer',
  'GET /admin/v1/messages/{}': 'viewer',
  'POST /admin/v1/messages/{}/replay': 'operator',
  'POST /admin/v1/messages/replay': 'operator',
  'GET /admin/v1/messages/replays': 'viewer',
  'GET /admin/v1/messages/replays/{}': 'viewer',
  'POST /admin/v1/messages/replays/{}/cancel': 'operator',
  'GET /admin/v1/orders': 'viewer+backend',
  'GET /admin/v1/orders/{}': 'viewer+backend',
  'GET /admin/v1/orders/{}/result': 'reader+backend',
  'POST /admin/v1/orders': 'operator+backend',
  'POST /admin/v1/orders/place': 'operator+backend',
  'POST /admin/v1/orders/{}/notified': 'operator+backend',
  'POST /admin/v1/orders/{}/told': 'operator+backend',
  'POST /admin/v1/orders/{}/cancel': 'operator+backend',
  'POST /admin/v1/orders/{}/appointment': 'operator+backend',
  'PATCH /admin/v1/orders/{}/appointment': 'operator+backend',
  'DELETE /admin/v1/orders/{}/appointment': 'operator+backend',
  'GET /admin/v1/labs/cancellation-reasons': 'viewer+backend',
  'GET /admin/v1/order-transactions': 'viewer+backend',
  'GET /admin/v1/order-transactions/{}': 'viewer+backend',
  'GET /admin/v1/order-transactions/{}/result': 'reader+backend',
  'GET /admin/v1/order-transactions/{}/result/pdf': 'reader+backend',
  'GET /admin/v1/orders/{}/result/pdf': 'reader+backend',
  'GET /admin/v1/orders/{}/requisition.pdf': 'reader+backend',
  'GET /admin/v1/orders/{}/labels.pdf': 'reader+backend',
  'GET /admin/v1/orders/{}/collection-instructions.pdf': 'reader+backend',
  'GET /admin/v1/orders/{}/abn.pdf': 'reader+backend',
  'GET /admin/v1/labs/tests/{}/collection-instructions.pdf': 'viewer+backend',
  'POST /admin/v1/order-transactions/{}/notified': 'operator+backend',
  'POST /admin/v1/order-transactions/{}/told': 'operator+backend',
  'POST /admin/v1/order-transactions/{}/replaced': 'operator+backend',
  'POST /admin/v1/order-transactions/{}/refresh': 'operator',
  'GET /admin/v1/lab-work': 'viewer+backend',
  'GET /admin/v1/orders/{}/notifications': 'viewer+backend',
  'GET /admin/v1/orders/{}/result/changes': 'viewer+backend',
  'GET /admin/v1/order-transactions/{}/result/changes': 'viewer+backend',
  'GET /admin/v1/parsing-jobs': 'viewer+backend',
  'GET /admin/v1/parsing-jobs/{}': 'reader+backend',
  'GET /admin/v1/unmatched-results': 'viewer+backend',
  'GET /admin/v1/unmatched-results/{}': 'viewer+backend',
  'POST /admin/v1/unmatched-results/{}/accept': 'operator+backend',
  'POST /admin/v1/unmatched-results/{}/resolve': 'operator+backend',
  'POST /admin/v1/labs/availability': 'viewer+backend',
  'POST /admin/v1/labs/compendium/search': 'viewer+backend',
  'POST /admin/v1/labs/compendium/convert': 'viewer+backend',
  'GET /admin/v1/labs/tests': 'viewer+backend',
  'GET /admin/v1/labs/tests/{}': 'viewer+backend',
  'GET /admin/v1/labs/tests/{}/markers': 'viewer+backend',
  'GET /admin/v1/labs/areas': 'viewer+backend',
  'GET /admin/v1/labs/places': 'viewer+backend',
  'GET /admin/v1/orders/{}/places': 'viewer+backend',
  'GET /admin/v1/access-log': 'operator',
  'GET /admin/v1/access-log/verification': 'operator',
  'POST /admin/v1/access-log/verification': 'operator',
  'GET /admin/v1/access-log/checkpoint': 'monitor',

  'GET /admin/v1/account-imports': 'viewer',
  'GET /admin/v1/account-imports/{}': 'viewer',
  'GET /admin/v1/account-imports/{}/differences': 'viewer',
  'GET /admin/v1/sync/recoveries': 'viewer',
  'GET /admin/v1/sync/recoveries/{}': 'viewer',
  'GET /admin/v1/link-attempts': 'viewer',
  'GET /admin/v1/sync/workout-series': 'viewer',
  'GET /admin/v1/deletions': 'viewer',
  'POST /admin/v1/deletions/{}/release': 'operator',
  'POST /admin/v1/deletions/{}/reject': 'operator',
  'GET /admin/v1/sources': 'viewer+backend',
  'GET /admin/v1/frequent-sign-ins': 'viewer',

  'GET /admin/v1/subscriptions': 'operator',
  'POST /admin/v1/subscriptions': 'operator',
  'GET /admin/v1/subscriptions/{}': 'operator',
  'PATCH /admin/v1/subscriptions/{}': 'operator',
  'DELETE /admin/v1/subscriptions/{}': 'operator',
  'POST /admin/v1/subscriptions/{}/rotate-secret': 'operator',
  'POST /admin/v1/subscriptions/{}/disable': 'operator',
  'POST /admin/v1/subscriptions/{}/enable': 'operator',
  'POST /admin/v1/subscriptions/{}/test': 'operator',
  'GET /admin/v1/subscriptions/{}/pushes': 'operator',
  'POST /admin/v1/subscriptions/{}/pushes/replay': 'operator',
  'POST /admin/v1/subscriptions/{}/pushes/{}/replay': 'operator',

  'GET /fhir/metadata': 'anybody',
  'GET /.well-known/jwks.json': 'anybody',

  'GET /livez': 'anybody',
  'GET /readyz': 'anybody',
  'GET /metrics': 'anybody',
};

/** Names under which a route could take somebody else's account. */
const namesSomebody = /account|user|client|customer|patient|subject/i;

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

interface Operation {
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  'x-role'?: string;
  'x-roles'?: string[];
}

interface Route {
  /** As in the table. */
  readonly name: string;
  readonly method: string;
  /** With every parameter filled in, by something that is nowhere. */
  readonly path: string;
  readonly operation: Operation;
}

describe('every route of the OpenAPI document', () => {
  let app: TestApp;
  let document: OpenAPIObject;
  let routes: Route[];
  let appToken: string;

  beforeAll(async () => {
    app = await TestApp.create();
    document = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    appToken = await app.appToken('customer-1');
    routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, 'x'),
        operation,
      })),
    );
  });

  afterAll(() => app.close());

  /**
   * The status of a call. It carries a field that no route knows, so one that passes the guard is refused as invalid
   * and does nothing.
   */
  async function call({ method, path }: Route, credentials?: string): Promise<number> {
    const headers = new Headers(credentials === undefined ? [] : [['authorization', `Bearer ${credentials}`]]);
    const response = await fetch(`${app.url}${path}?no_such_field=1`, { method, headers });
    await response.arrayBuffer();
    return response.status;
  }

  const admitting = (...admitted: Admitted[]): Route[] =>
    routes.filter(({ name }) => admitted.some((who) => expected[name] === who));
  const forKeys = (): Route[] => routes.filter(({ name }) => !['app', 'anybody'].includes(expected[name] ?? 'anybody'));
  const leastRole = ({ name }: Route): string | undefined => expected[name]?.split('+')[0];
  /** Whether a key of this role may call the route. */
  const admits = (route: Route, role: (typeof roles)[number]): boolean =>
    role === 'backend' || role === 'feed'
      ? expected[route.name]?.endsWith(`+${role}`) === true
      : ranked.findIndex((least) => least === leastRole(route)) <= ranked.indexOf(role);
  const statuses = async (called: Route[], credentials?: string): Promise<[string, number][]> =>
    Promise.all(called.map(async (route): Promise<[string, number]> => [route.name, await call(route, credentials)]));
  const named = (called: Route[], status: number): [string, number][] => called.map(({ name }) => [name, status]);

  it('is listed here', () => {
    expect(routes.map(({ name }) => name).filter((name) => !Object.hasOwn(expected, name))).toEqual([]);
    expect(routes.length).toBeGreaterThan(30);
  });

  it('has a role in the document, and a login if it needs one', () => {
    const closed = forKeys();
    for (const route of routes) {
      const { name, operation } = route;
      const isClosed = closed.includes(route);
      expect([name, operation['x-role']]).toEqual([name, isClosed ? leastRole(route) : undefined]);
      const admitted = roles.filter((role) => admits(route, role));
      expect([name, operation['x-roles']]).toEqual([name, isClosed ? admitted : undefined]);
    }
    const ofKeys = /^\/(?:admin\/v1|v1\/(?:accounts|changes|snapshots|consumers))\b/;
    expect(closed.every(({ path }) => ofKeys.test(path))).toBe(true);
    expect(admitting('app').every(({ path }) => path.startsWith('/v1/'))).toBe(true);
  });

  it.each([
    ['no key', undefined],
    ['an unknown key', 'wrong-key'],
    ['the hash of a key', createHash('sha256').update('operator-key').digest('hex')],
  ])('that has a login returns 401 to %s', async (_, credentials) => {
    const closed = [...forKeys(), ...admitting('app')];
    expect(await statuses(closed, credentials)).toEqual(named(closed, 401));
  });

  it('for operators returns 401 to the app, and for the app to every operator', async () => {
    expect(await statuses(forKeys(), appToken)).toEqual(named(forKeys(), 401));
    for (const role of roles) {
      expect(await statuses(admitting('app'), `${role}-key`)).toEqual(named(admitting('app'), 401));
    }
  });

  it.each(roles)('admits the role %s where it is allowed, and returns 403 elsewhere', async (role) => {
    const open = forKeys().filter((route) => admits(route, role));
    const closed = forKeys().filter((route) => !admits(route, role));
    expect(await statuses(open, `${role}-key`)).toEqual(named(open, 400));
    expect(await statuses(closed, `${role}-key`)).toEqual(named(closed, 403));
    expect(open.length).toBeGreaterThan(0);
  });

  it('for the app lets the app through', async () => {
    expect(await statuses(admitting('app'), appToken)).toEqual(named(admitting('app'), 400));
  });

  it('without a login asks for none', async () => {
    const refused = (await statuses(admitting('anybody'))).filter(([, status]) => status === 401 || status === 403);
    expect(refused).toEqual([]);
  });

  it('of the app takes no account, neither as a parameter nor in its body', async () => {
    const fieldsOf = ({ operation }: Route): string[] => {
      const parameters = (operation.parameters ?? []).map(({ name }) => name);
      const bodies = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);
      return [...parameters, ...bodies.flatMap((schema) => Object.keys(resolved(schema).properties ?? {}))];
    };
    const resolved = (schema: Schema): Schema => {
      const name = schema.$ref?.split('/').at(-1) ?? '';
      return (document.components?.schemas?.[name] as Schema | undefined) ?? schema;
    };
    const own = admitting('app');
    expect(own.flatMap(fieldsOf)).toContain('installation_id');
    expect(own.filter((route) => fieldsOf(route).some((field) => namesSomebody.test(field)))).toEqual([]);
  });

  it.each(['account_id', 'user_id', 'client_user_id'])('of the app refuses %s', async (field) => {
    for (const { method, path, name } of admitting('app')) {
      const headers = { authorization: `Bearer ${appToken}`, 'content-type': 'application/json' };
      const body = method === 'GET' ? {} : { body: JSON.stringify({ [field]: 'customer-2' }) };
      const inQuery = await fetch(`${app.url}${path}?${field}=customer-2`, { method, headers });
      const inBody = await fetch(`${app.url}${path}`, { method, headers, ...body });
      // A form cannot be JSON, whatever it contains.
      const refusal = name === 'POST /v1/me/lab-reports' ? 415 : 400;
      expect([name, inQuery.status]).toEqual([name, refusal]);
      if (method !== 'GET') expect([name, inBody.status]).toEqual([name, refusal]);
    }
  });

  it('for readers, operators and the app about its person is recorded, and no other', async () => {
    const trace = async (route: Route, credentials: string): Promise<number> => {
      const count = 'SELECT COUNT(*) AS entries FROM access_log';
      const before = await app.store.reader.row<{ entries: number }>(count);
      await call(route, credentials);
      await app.chainAccesses();
      const after = await app.store.reader.row<{ entries: number }>(count);
      return Number(after?.entries) - Number(before?.entries);
    };
    const wrong: string[] = [];
    await app.chainAccesses();
    for (const route of [...forKeys(), ...admitting('app')]) {
      const leaves = await trace(route, expected[route.name] === 'app' ? appToken : 'viewer-key');
      // A position names nobody and is reported every few seconds.
      if (route.name === 'PUT /v1/consumers/{}/position') continue;
      const isOpen =
        ['monitor', 'viewer'].includes(leastRole(route) ?? '') && route.name !== 'GET /admin/v1/accounts/{}';
      const should = !isOpen && !route.path.startsWith('/v1/labs/');
      if (leaves > 0 !== should) wrong.push(route.name);
    }
    expect(wrong).toEqual([]);
  });
});
