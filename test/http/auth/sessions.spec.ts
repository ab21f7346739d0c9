import { SessionEntity } from '../../../src/http/auth/session.entity.js';
import { Sessions } from '../../../src/http/auth/sessions.service.js';
import { adminKeys, environment } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

const HOUR = 3_600;

interface Shown {
  readonly session_id: string;
  readonly name: string;
  readonly kind: string;
  readonly role: string;
  readonly current: boolean;
}

describe('sessions of the console', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false });
  });
  afterAll(() => app.close());

  const signIn = (key: string): Promise<Answer<Shown>> => app.call('POST', '/admin/v1/sessions', `Bearer ${key}`);
  const cookieFrom = ({ headers }: Answer<unknown>): string => String(headers['set-cookie']).split(';')[0] ?? '';
  const as = (cookie: string, more: Record<string, string> = {}): Record<string, string> => ({
    cookie,
    'x-pulsekeep-console': '1',
    ...more,
  });
  const current = (headers: Record<string, string>): Promise<Answer<Shown>> =>
    app.call('GET', '/admin/v1/sessions/current', headers);

  it('are opened with a key, which is not needed again', async () => {
    const opened = await signIn(adminKeys.viewer);
    expect(opened.status).toBe(201);
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^pulsekeep_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const { status, body } = await current(as(cookieFrom(opened)));
    expect([status, body.name, body.role, body.kind]).toEqual([200, 'viewer', 'viewer', 'key']);
    expect((await app.call('GET', '/admin/v1/accounts', as(cookieFrom(opened)))).status).toBe(200);
    expect((await app.call('GET', '/admin/v1/erasures', as(cookieFrom(opened)))).status).toBe(403);
  });

  it('have a cookie only for TLS and this host, unless the address is loopback', async () => {
    const opened = await app.call('POST', '/admin/v1/sessions', {
      authorization: `Bearer ${adminKeys.viewer}`,
      host: 'console.example.com',
    });
    expect(String(opened.headers['set-cookie'])).toMatch(/^__Host-pulsekeep_session=.*; Secure$/);
  });

  it('are used only with the header that no other origin can add, and from the same origin', async () => {
    const cookie = cookieFrom(await signIn(adminKeys.operator));
    expect((await current({ cookie })).status).toBe(401);
    expect((await current(as(cookie, { 'sec-fetch-site': 'cross-site' }))).status).toBe(401);
    expect((await current(as(cookie, { 'sec-fetch-site': 'same-origin' }))).status).toBe(200);
    const preflight = await app.call('OPTIONS', '/admin/v1/overview', {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-pulsekeep-console',
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are stored by digest, which opens no session', async () => {
    const cookie = cookieFrom(await signIn(adminKeys.operator));
    const rows = await app.table(SessionEntity).all();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
    expect(JSON.stringify(rows)).not.toContain(adminKeys.operator);
    expect((await app.call('POST', '/admin/v1/sessions', as(cookie))).status).toBe(403);
  });

  it('are not available to a backend', async () => {
    expect((await signIn(adminKeys.backend)).status).toBe(403);
    expect((await signIn('unknown-key')).status).toBe(401);
  });

  it('end at the sign-out', async () => {
    const cookie = cookieFrom(await signIn(adminKeys.viewer));
    const { session_id } = (await current(as(cookie))).body;
    const ended = await app.call('DELETE', `/admin/v1/sessions/${session_id}`, as(cookie));
    expect([ended.status, String(ended.headers['set-cookie'])]).toEqual([204, expect.stringMatching(/Max-Age=0$/)]);
    expect((await current(as(cookie))).status).toBe(401);
  });

  it('are listed and ended by operators; others see and end their own', async () => {
    const viewer = cookieFrom(await signIn(adminKeys.viewer));
    const { body: mine } = await current(as(viewer));
    const reader = as(cookieFrom(await signIn(adminKeys.reader)));
    const list = await app.call<{ data: Shown[] }>('GET', '/admin/v1/sessions', reader);
    expect(list.body.data.map(({ name, current }) => [name, current])).toContainEqual(['reader', true]);
    expect(list.body.data.every(({ name }) => name === 'reader')).toBe(true);
    expect((await app.call('DELETE', `/admin/v1/sessions/${mine.session_id}`, reader)).status).toBe(404);
    const operator = `Bearer ${adminKeys.operator}`;
    const all = await app.call<{ data: Shown[] }>('GET', '/admin/v1/sessions', operator);
    expect(all.body.data.map(({ session_id }) => session_id)).toContain(mine.session_id);
    expect((await app.call('DELETE', `/admin/v1/sessions/${mine.session_id}`, operator)).status).toBe(204);
    expect((await current(as(viewer))).status).toBe(401);
  });

  it('end with their key, and follow its role', async () => {
    const cookie = cookieFrom(await signIn(adminKeys.reader));
    const keys = String(environment()['ADMIN_API_KEYS']);
    const [demoted, replaced] = await Promise.all([
      app.another({ env: { ADMIN_API_KEYS: keys.replace('reader:reader', 'reader:viewer') } }),
      app.another({ env: { ADMIN_API_KEYS: keys.replace(/(reader:reader):\w{4}/, '$1:0000') } }),
    ]);
    const ask = (other: TestApp): Promise<Answer<Shown>> => other.call('GET', '/admin/v1/sessions/current', as(cookie));
    expect((await ask(demoted)).body.role).toBe('viewer');
    expect((await ask(replaced)).status).toBe(401);
  });

  it('of people end with their issuer and with the entry of OIDC_ROLES that gave the role', async () => {
    const people = { OIDC_ISSUER: 'https://login.customer.test', OIDC_CLIENT_ID: 'console' };
    const grant = { claim: 'groups', value: 'sre', role: 'operator' } as const;
    const jane = { kind: 'person', name: 'jane@example.com', role: 'operator', boundTo: '', grant } as const;
    const kept = await app.another({ env: { ...people, OIDC_ROLES: 'groups:sre=operator' } });
    const { token } = await kept.get(Sessions).open(jane);
    const others = [
      { ...people, OIDC_ROLES: 'groups:sre=viewer' },
      { ...people, OIDC_ROLES: 'groups:admins=operator' },
      { ...people, OIDC_ROLES: 'roles:sre=operator' },
      { ...people, OIDC_ISSUER: 'https://login.customer.test/', OIDC_ROLES: 'groups:sre=operator' },
      {},
    ];
    const statusOf = async (other: TestApp): Promise<number> =>
      (await other.call('GET', '/admin/v1/sessions/current', as(`pulsekeep_session=${token}`))).status;
    expect(await statusOf(kept)).toBe(200);
    for (const env of others) expect([env, await statusOf(await app.another({ env }))]).toEqual([env, 401]);
    const more = { ...people, OIDC_ROLES: 'groups:support=viewer,groups:sre=operator' };
    expect(await statusOf(await app.another({ env: more }))).toBe(200);
  });

  it('of one key are at most twenty; a new one ends the oldest, and others are not affected', async () => {
    const stolen = cookieFrom(await signIn(adminKeys.operator));
    const first = cookieFrom(await signIn(adminKeys.monitor));
    const cookies: string[] = [];
    for (let count = 0; count < 20; count++) {
      app.clock.advance(1_000);
      cookies.push(cookieFrom(await signIn(adminKeys.monitor)));
    }
    const statuses = [stolen, first, ...cookies].map(async (cookie) => (await current(as(cookie))).status);
    expect(await Promise.all(statuses)).toEqual([200, 401, ...cookies.map(() => 200)]);
  });

  it('are opened at most sixty times a minute with one key', async () => {
    app.clock.advance(60_000);
    const statuses: number[] = [];
    for (let count = 0; count < 70; count++) statuses.push((await signIn(adminKeys.reader)).status);
    expect([statuses.filter((status) => status === 201).length, statuses.at(-1)]).toEqual([60, 429]);
    app.clock.advance(60_000);
    expect((await signIn(adminKeys.reader)).status).toBe(201);
  });

  it('are listed in pages, and any of them is ended by its id', async () => {
    const oldest = await signIn(adminKeys.viewer);
    for (let count = 0; count < 3; count++) {
      app.clock.advance(1_000);
      await signIn(adminKeys.monitor);
    }
    const operator = `Bearer ${adminKeys.operator}`;
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const path = `/admin/v1/sessions?limit=2${after}`;
      const { body } = await app.call<{ data: Shown[]; next_cursor: string | null }>('GET', path, operator);
      expect(body.data.length).toBeLessThanOrEqual(2);
      seen.push(...body.data.map(({ session_id }) => session_id));
      cursor = body.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(oldest.body.session_id);
    const ended = await app.call('DELETE', `/admin/v1/sessions/${oldest.body.session_id}`, operator);
    expect([ended.status, (await current(as(cookieFrom(oldest)))).status]).toEqual([204, 401]);
    expect((await app.call('GET', '/admin/v1/sessions?cursor=bad', operator)).status).toBe(400);
  });

  it('have a cookie for TLS behind a proxy, although its own Host is a loopback address', async () => {
    for (const header of ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for', 'forwarded', 'via']) {
      const opened = await app.call('POST', '/admin/v1/sessions', {
        authorization: `Bearer ${adminKeys.viewer}`,
        [header]: 'https',
      });
      expect(String(opened.headers['set-cookie'])).toMatch(/^__Host-pulsekeep_session=.*; Secure$/);
    }
  });

  it('end after two hours without a request, and after twelve hours at the latest', async () => {
    const used = cookieFrom(await signIn(adminKeys.operator));
    const idle = cookieFrom(await signIn(adminKeys.operator));
    for (let hour = 1; hour < 12; hour++) {
      app.clock.advance(HOUR * 1_000);
      expect((await current(as(used))).status).toBe(200);
    }
    expect((await current(as(idle))).status).toBe(401);
    app.clock.advance(HOUR * 1_000);
    expect((await current(as(used))).status).toBe(401);
    await signIn(adminKeys.operator);
    expect(await app.table(SessionEntity).all()).toHaveLength(1);
  });
});
