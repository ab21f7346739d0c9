// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import type { OpenAPIObject } from '@nestjs/swagger';
import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { Secret } from '../../src/platform/config/secret.js';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { isForApp, nowhere } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { behindProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

/** Routes that need nothing of the store, as those of labs and who a key is, and the one that tells of it. */
const without = [
  '/livez',
  '/metrics',
  '/fhir/metadata',
  '/.well-known/jwks.json',
  '/admin/v1/alarms',
  '/admin/v1/sessions/current',
];

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema?: { enum?: string[] } }[];
}

interface Problem {
  readonly code?: string;
  readonly errors?: readonly { field: string; message: string }[];
}

const orderId = '00000000-0000-4000-8000-000000000007';
/** Values of required parameters that are not days. */
const valid: Readonly<Record<string, string>> = { resource: 'sleep', zip_code: '10001', lab_id: '6' };

onPostgres('while PostgreSQL is away', () => {
  let database: TestDatabase;
  let network: TcpProxy;
  let app: TestApp;

  beforeAll(async () => {
    database = await testDatabase();
    const proxied = await behindProxy(database);
    network = proxied.network;
    app = await TestApp.create({ database: proxied.through });
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    network.cut();
  });

  afterAll(async () => {
    network.mend();
    await app.close();
    await network.close();
    await database.drop();
  });

  async function answers(): Promise<(readonly [string, number, string | undefined])[]> {
    const { paths } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const found: (readonly [string, number, string | undefined])[] = [];
    for (const [template, item] of Object.entries(paths)) {
      const get = (item as { get?: Operation }).get;
      if (!get || without.includes(template) || template.includes('/labs/')) continue;
      const path = template
        .replace('{resource}', 'sleep')
        .replace('{order_id}', orderId)
        .replace(/\{\w+\}/g, '7');
      const query = (get.parameters ?? []).filter((each) => each.in === 'query' && each.required);
      const values = query.map(({ name }) => `${name}=${valid[name] ?? '2026-11-01'}`);
      const credentials = isForApp(path) ? await app.appToken('anna') : 'operator-key';
      const { status, body } = await app.send<Problem>(`GET ${path}?${values.join('&')}`, { token: credentials });
      found.push([template, status, body.code]);
    }
    return found;
  }

  it('every route that reads returns 503 storage_unavailable', async () => {
    const all = await answers();
    expect(all.length).toBeGreaterThan(30);
    const others = all.filter(
      ([path, status, code]) => path !== '/readyz' && (status !== 503 || code !== 'storage_unavailable'),
    );
    expect(others).toEqual([]);
  });

  it.each([
    ['POST /admin/v1/accounts', { account_id: 'berta' }],
    ['POST /admin/v1/accounts/anna/sync', {}],
    ['DELETE /admin/v1/accounts/anna', undefined],
    ['POST /admin/v1/messages/replay', { status: 'dead' }],
    ['POST /v1/me/sign-in-token', {}],
    ['POST /v1/me/link-token', {}],
  ])('%s reports it', async (line, body) => {
    const credentials = line.includes(' /v1/me') ? await app.appToken('anna') : 'operator-key';
    const answer = await app.send<Problem>(line, { token: credentials, body });
    expect([answer.status, answer.body.code]).toEqual([503, 'storage_unavailable']);
  });

  it('a delivery is refused in the same way, to be repeated', async () => {
    const { headers, body } = signedMessage('one', { event_type: 'unheard.of' }, undefined, app.clock.now());
    const answer = await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([503, 'storage_unavailable']);
  });

  it('readyz names only the database', async () => {
    const { status, body } = await app.send<Problem>('GET /readyz');
    const storeFaults = body.errors?.filter(({ field }) => field !== 'workers');
    expect([status, storeFaults]).toEqual([503, [{ field: 'database', message: 'the database cannot be reached' }]]);
  });

  it('the alarms report it, from memory', async () => {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms', undefined, 'monitor');
    expect(body.data.map(({ code }) => code)).toEqual(['store_refused']);
  });

  it('everything works again as soon as it is back', async () => {
    network.mend();
    expect((await app.admin('GET', '/overview')).status).toBe(200);
    network.cut();
  });
});

onPostgres('while PostgreSQL is silent', () => {
  let database: TestDatabase;
  let network: TcpProxy;
  let app: TestApp;
  let sent = 0;

  beforeEach(async () => {
    database = await testDatabase();
    const proxied = await behindProxy(database);
    network = proxied.network;
    app = await TestApp.create({ database: proxied.through });
    expect(await deliver()).toEqual([204, undefined]);
    expect((await app.admin('GET', '/overview')).status).toBe(200);
  });

  afterEach(async () => {
    network.mend();
    await app.close();
    await network.close();
    await database.drop();
  });

  async function deliver(to = app.url, at = app.clock.now()): Promise<[number, string | undefined]> {
    const { headers, body } = signedMessage(`msg_${sent++}`, { event_type: 'unheard.of' }, undefined, at);
    const answer = await fetch(`${to}/webhooks`, { method: 'POST', headers, body });
    return [answer.status, answer.status === 204 ? undefined : ((await answer.json()) as Problem).code];
  }

  async function read(): Promise<[number, string | undefined]> {
    const { status, body } = await app.admin<Problem>('GET', '/overview');
    return [status, body.code];
  }

  it.each([undefined, 'to_server', 'to_client'] as const)(
    'callers are refused instead of left waiting, and served again once the network is back (%s)',
    async (direction) => {
      network.silence(direction);
      const refused = [503, 'storage_unavailable'];
      expect(await Promise.all([deliver(), deliver(), read()])).toEqual([refused, refused, refused]);
      const { status, body } = await app.send<Problem>('GET /readyz');
      expect(status).toBe(503);
      expect(body.errors).toContainEqual({ field: 'database', message: 'the database cannot be reached' });
      expect(await Promise.all([deliver(), read()])).toEqual([refused, refused]);
      network.mend();
      await until(async () => (await deliver())[0] === 204 && (await read())[0] === 200);
    },
  );

  describe('for a process of its own', () => {
    let child: ChildPulsekeep;

    beforeEach(async () => {
      const url = new URL((database.config as { url: Secret }).url.reveal());
      url.host = `127.0.0.1:${network.port}`;
      const through = { ...database, config: { kind: 'postgres', url: new Secret(url.href) } } as const;
      child = await ChildPulsekeep.start(childEnvironment(through, nowhere));
    });

    afterEach(() => child.kill());

    it('its shutdown still ends', async () => {
      network.silence();
      expect((await fetch(`${child.url}/readyz`)).status).toBe(503);
      expect(await child.stop()).toBe(0);
    });

    it('its workers continue with acknowledged messages, over new connections', async () => {
      await deliver(child.url, Date.now());
      network.loseOpen();
      await until(async () => (await deliver(child.url, Date.now()))[0] === 204);
      await until(async () => (await fetch(`${child.url}/readyz`)).status === 200);
      await until(async () => {
        const messages = await app.store.reader
          .rows<{ status: string }>('SELECT status FROM messages')
          .catch(() => [{ status: 'unread' }]);
        return messages.every(({ status }) => status === 'ignored');
      });
    });
  });

  it('lost connections are given up, and new ones opened', async () => {
    const lost = network.open;
    network.loseOpen();
    await until(async () => (await deliver())[0] === 204 && (await read())[0] === 200);
    expect(lost).toBeGreaterThan(0);
    for (let times = 0; times < 2 * lost; times++)
      expect([await deliver(), await read()]).toEqual([
        [204, undefined],
        [200, undefined],
      ]);
  });
});
