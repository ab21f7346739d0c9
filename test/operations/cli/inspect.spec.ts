import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { signedMessage } from '../../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { driveCli, RunningCli } from './support/run-cli.js';

interface Listed {
  data: Record<string, unknown>[];
  more: boolean;
}

describe('looking at a service from the command line', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let service: ServingPulsekeep;

  beforeAll(async () => {
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    service = await ServingPulsekeep.start(childEnvironment(database, sandbox.url, { SYNC_RESOURCES: 'sleep' }));
    await adminCall(service.url, 'POST', '/accounts', { account_id: 'patient/1' });
    for (const id of ['msg_1', 'msg_2', 'msg_3']) {
      const event = { event_type: 'provider.dance.created', user_id: 'ab', data: {} };
      const { headers, body } = signedMessage(id, event);
      expect((await fetch(`${service.url}/webhooks`, { method: 'POST', headers, body })).status).toBe(204);
    }
    await until(async () => {
      const { data } = await adminCall<Listed>(service.url, 'GET', '/messages?status=ignored');
      return data.length === 3;
    });
  });

  afterAll(async () => {
    await service.stop();
    await sandbox.close();
    await database.drop();
  });

  it('shows the overview to a monitor', async () => {
    const { code, out } = await driveCli(service.url, ['overview'], 'monitor-key');
    expect(code).toBe(0);
    expect(out).toMatch(/^accounts +1 active, 0 pending, 0 blocked$/m);
    expect(out).toMatch(/^inbox +0 waiting, 0 dead/m);
    const asJson = await driveCli(service.url, ['overview', '--json'], 'monitor-key');
    expect(asJson.json()).toMatchObject({ accounts: { active: 1 }, inbox: { depth: 0 }, alarms: expect.any(Array) });
  });

  it('explains an empty day', async () => {
    const args = ['explain', 'patient/1', '--resource', 'sleep', '--day', '2026-01-05'];
    const { code, out } = await driveCli(service.url, args);
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringContaining('sleep')]);
    const found = (await driveCli(service.url, [...args, '--json'])).json<Record<string, unknown>>();
    expect(found).toMatchObject({ account_id: 'patient/1', day: '2026-01-05', conclusion: out.split('\n')[0] });
    const wrong = await driveCli(service.url, ['explain', 'patient/1', '--resource', 'dreams', '--day', '2026-01-05']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('resource: ')]);
  });

  it('shows what happened to an account', async () => {
    const { code, out } = await driveCli(service.url, ['timeline', 'patient/1']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d{4}-\S+\t\w+\t.+\t\w+:\S+$/m)]);
    const none = await driveCli(service.url, ['timeline', 'patient/1', '--to', '2000-01-01', '--json']);
    expect(none.json()).toEqual({ data: [], more: false });
    expect((await driveCli(service.url, ['timeline', 'nobody'])).code).toBe(1);
  });

  it('lists messages, so many as were asked for', async () => {
    const all = (await driveCli(service.url, ['messages', '--status', 'ignored', '--json'])).json<Listed>();
    expect([all.data.map(({ message_id }) => message_id).sort(), all.more]).toEqual([
      ['msg_1', 'msg_2', 'msg_3'],
      false,
    ]);
    const two = await driveCli(service.url, ['messages', '--event-type', 'provider.dance.created', '--limit', '2']);
    expect(two.out.trim().split('\n')).toEqual([
      expect.stringMatching(/\tmsg_\d\tignored\t/),
      expect.stringMatching(/\tmsg_\d\tignored\t/),
      'More than 2 rows: raise --limit.',
    ]);
    expect((await driveCli(service.url, ['messages', '--limit', '0'])).code).toBe(2);
  });

  it('lists pulls, and tells why one that somebody waits for is put off', async () => {
    const { user_id } = await adminCall<{ user_id: string }>(service.url, 'GET', '/accounts/patient%2F1');
    await sandbox.control.connect({ user_id, provider: 'oura', history: { days: 2, per_day: 1 }, notify: false });
    await sandbox.control.fault({ method: 'GET', path: '/v2/summary', kind: 'status', status: 503 });
    const cli = RunningCli.start(['sync', 'run', '--url', service.url], { PULSEKEEP_ADMIN_KEY: 'operator-key' });
    await cli.says('deferred after upstream_');
    cli.interrupt();
    const { err } = await cli.ended();
    expect(err).toMatch(/pulls: .*, deferred after upstream_unavailable until \d{4}-\S+Z/);
    const tasks = (await driveCli(service.url, ['tasks', '--account', 'patient/1', '--json'])).json<Listed>();
    expect(tasks.data.map(({ resource }) => resource)).toContain('sleep');
    expect((await driveCli(service.url, ['tasks', '--status', 'done', '--json'])).json()).toMatchObject({
      more: false,
    });
    await sandbox.control.clearFaults();
  });
});
