// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { Secret } from '../../src/platform/config/secret.js';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { nowhere } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

interface Problem {
  readonly code?: string;
  readonly errors?: readonly { field: string; message: string }[];
}

onPostgres('while PostgreSQL is silent', () => {
  let database: TestDatabase;
  let network: TcpProxy;
  let app: TestApp;
  let sent = 0;

  beforeEach(async () => {
    database = await testDatabase();
    if (database.config.kind !== 'postgres') throw new Error('This is about PostgreSQL.');
    const url = new URL(database.config.url.reveal());
    network = await TcpProxy.to(url.hostname, Number(url.port || 5432));
    url.host = `127.0.0.1:${network.port}`;
    app = await TestApp.create({ database: { ...database, config: { kind: 'postgres', url: new Secret(url.href) } } });
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

    it('its stop ends all the same', async () => {
      network.silence();
      expect((await fetch(`${child.url}/readyz`)).status).toBe(503);
      expect(await child.stop()).toBe(0);
    });

    it('its workers go on with what was acknowledged, over fresh connections', async () => {
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

  it('connections that were lost are given up, and fresh ones taken', async () => {
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
