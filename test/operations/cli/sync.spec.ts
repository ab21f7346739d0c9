import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { signedMessage } from '../../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { driveCli, RunningCli, runCli } from './support/run-cli.js';

const DAYS = 10;

interface SyncEnd {
  accounts: number;
  pulls: number;
  done: number;
  failed: number;
  records: number;
  written: number;
}

describe('pulling again from the command line', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let service: ServingPulsekeep | null = null;
  let env: Record<string, string>;

  beforeEach(async () => {
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    env = childEnvironment(database, sandbox.url, { SYNC_RESOURCES: 'sleep,mindfulness_minutes' });
    for (const account of ['patient/1', 'patient-2']) {
      const { users } = await sandbox.control.createUsers({ client_user_id: account });
      const user_id = users[0]?.user_id ?? '';
      const history = { days: DAYS, per_day: 6 };
      await sandbox.control.connect({ user_id, provider: 'oura', history, notify: false });
    }
    await sandbox.control.settle({ within_seconds: 3600 });
    service = await ServingPulsekeep.start(env);
    for (const account_id of ['patient/1', 'patient-2']) {
      await adminCall(service.url, 'POST', '/accounts', { account_id });
    }
  });

  afterEach(async () => {
    await service?.stop();
    await sandbox.close();
    await database.drop();
  });

  const url = (): string => String(service?.url);

  it('follows the pulls of every account to their end and counts their records', async () => {
    const ended = await driveCli(url(), ['sync', 'run', '--json']);
    const { accounts, pulls, done, failed, records } = ended.json<SyncEnd>();
    expect([ended.code, accounts, pulls, done, failed]).toEqual([0, 2, 4, 4, 0]);
    expect(records).toBeGreaterThan(100);
    expect(ended.err).toMatch(/^pulls: 100 %, 4 of 4 ended, 0 failed, \d+ records$/m);
    expect(ended.out + ended.err).not.toContain('patient');
  });

  it('pulls one account, some resources and a window', async () => {
    const start = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const window = ['--start', start, '--end', new Date().toISOString()];
    const args = ['sync', 'run', '--account', 'patient/1', '--resource', 'mindfulness_minutes', ...window];
    const { code, out } = await driveCli(url(), args);
    expect(code).toBe(0);
    expect(out).toMatch(/^pulls +1$/m);
    expect(out).toMatch(/^records +1\d$/m);
  });

  it('ends with 1 for an unknown account', async () => {
    const { code, err } = await driveCli(url(), ['sync', 'run', '--account', 'nobody']);
    expect(code).toBe(1);
    expect(err).not.toBe('');
  });

  it('stops waiting at Ctrl-C and leaves the work to the service', async () => {
    await sandbox.control.fault({ method: 'GET', path: '/v2/timeseries', kind: 'slow', delay_ms: 60_000 });
    const cli = RunningCli.spawn(['sync', 'run', '--url', url()], { PULSEKEEP_ADMIN_KEY: 'operator-key' });
    await cli.says('pulls:');
    cli.interrupt();
    const { code, err } = await cli.ended();
    expect(code).toBe(1);
    expect(err).toContain('Stopped waiting. The work continues in the service.');
    await until(async () => {
      const open = await adminCall<{ data: object[] }>(url(), 'GET', '/sync/tasks?status=running');
      return open.data.length > 0;
    });
    await sandbox.control.clearFaults();
  });

  it('does the work itself without a service, and at Ctrl-C leaves the rest to the next start', async () => {
    await service?.stop();
    await sandbox.control.fault({ method: 'GET', path: '/v2/timeseries', kind: 'slow', delay_ms: 60_000 });
    const cli = RunningCli.start(['sync', 'run'], env);
    await cli.says('pulls:');
    cli.interrupt();
    const interrupted = await cli.ended();
    expect(interrupted.code).toBe(1);
    expect(interrupted.err).toContain('Stopped waiting. Unfinished work resumes at the next start.');

    await sandbox.control.clearFaults();
    if (database.config.kind === 'postgres') return;
    const again = await runCli(['sync', 'run', '--json'], env);
    expect(again.code).toBe(0);
    expect(again.json<SyncEnd>()).toMatchObject({ accounts: 2, pulls: 4, done: 4, failed: 0 });
  });

  it('processes messages again and reports their outcome', async () => {
    const event = { event_type: 'provider.dance.created', user_id: 'ab', data: {} };
    for (const id of ['msg_1', 'msg_2']) {
      const { headers, body } = signedMessage(id, event);
      expect((await fetch(`${url()}/webhooks`, { method: 'POST', headers, body })).status).toBe(204);
    }
    await until(async () => {
      const { data } = await adminCall<{ data: object[] }>(url(), 'GET', '/messages?status=ignored');
      return data.length === 2;
    });
    const many = await driveCli(url(), ['inbox', 'replay', '--event-type', event.event_type, '--json']);
    const outcomes = { applied: 0, ignored: 2, retrying: 0, failed: 0 };
    const ended = { state: 'done', count: 2, without_body: 0, replayed: 2, ...outcomes };
    expect([many.code, many.json()]).toMatchObject([0, { replay_id: 1, ...ended }]);
    const byReason = (reason: string, ...more: string[]) =>
      driveCli(url(), ['inbox', 'replay', '--reason', reason, '--json', ...more]);
    expect((await byReason('unknown_event')).json()).toMatchObject({ replay_id: 2, ...ended });
    const counted = await byReason('unknown_event', '--dry-run');
    expect(counted.json()).toEqual({ dry_run: true, count: 2, without_body: 0, more: false });
    expect((await byReason('unknown_user')).json()).toMatchObject({ count: 0, without_body: 0 });
    const list = await driveCli(url(), ['inbox', 'replays', '--csv']);
    expect(
      list.out
        .split('\r\n')
        .slice(0, 2)
        .map((line) => line.split(',').slice(0, 3).join()),
    ).toEqual(['replay_id,state,count', '3,done,0']);
    expect((await driveCli(url(), ['inbox', 'cancel-replay', '3'])).out).toMatch(/^replay_id +3\nstate +done$/m);
    const one = await driveCli(url(), ['inbox', 'replay', '--message', 'msg_1']);
    expect(one.code).toBe(0);
    expect(one.out).toMatch(/^status +ignored$/m);
    const none = await driveCli(url(), ['inbox', 'replay', '--message', 'msg_9']);
    expect([none.code, none.err]).toEqual([1, 'There is no such message.\n']);
  });
});
