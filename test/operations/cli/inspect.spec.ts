import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { coveredResources } from '../../../src/health/catalogue/catalogue.js';
import { adminCall, childEnvironment, operatorKey } from '../../support/child-env.js';
import { spawnProgram } from '../../support/child-pulsekeep.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { signedMessage } from '../../support/signed-message.js';
import { testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { driveCli, RunningCli } from './support/run-cli.js';

interface Listed {
  data: Record<string, unknown>[];
  more: boolean;
}

interface Started {
  readonly sandbox: Sandbox;
  readonly service: ServingPulsekeep;
  readonly close: () => Promise<void>;
}

/** A service with one account, and the upstream it calls. */
async function started(): Promise<Started> {
  const sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
  const database = await testDatabase();
  const service = await ServingPulsekeep.start(childEnvironment(database, sandbox.url, { SYNC_RESOURCES: 'sleep' }));
  await adminCall(service.url, 'POST', '/accounts', { account_id: 'patient/1' });
  const close = async (): Promise<void> => {
    await service.stop();
    await sandbox.close();
    await database.drop();
  };
  return { sandbox, service, close };
}

describe('looking at a service from the command line', () => {
  let sandbox: Sandbox;
  let service: ServingPulsekeep;
  let close: Started['close'];

  beforeAll(async () => {
    ({ sandbox, service, close } = await started());
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

  afterAll(() => close());

  it('shows the overview to a monitor', async () => {
    const { code, out } = await driveCli(service.url, ['overview'], 'monitor-key');
    expect(code).toBe(0);
    expect(out).toMatch(/^accounts +pending 0, active 1, blocked 0,/m);
    expect(out).toMatch(/^inbox +depth 0, .*dead 0/m);
    const asJson = await driveCli(service.url, ['overview', '--json'], 'monitor-key');
    expect(asJson.json()).toMatchObject({ accounts: { active: 1 }, inbox: { depth: 0 }, alarms: expect.any(Array) });
  });

  it('explains an empty day', async () => {
    const args = ['explain', 'patient/1', '--resource', 'sleep', '--day', '2026-01-05'];
    const { code, out } = await driveCli(service.url, args);
    // The reason that follows changes while the service looks for the first time.
    const said = 'No sleep record is stored for 2026-01-05 because ';
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^conclusion +${said}`))]);
    const found = (await driveCli(service.url, [...args, '--json'])).json<Record<string, unknown>>();
    expect(found).toMatchObject({
      account_id: 'patient/1',
      day: '2026-01-05',
      conclusion: expect.stringMatching(new RegExp(`^${said}`)),
    });
    const wrong = await driveCli(service.url, ['explain', 'patient/1', '--resource', 'dreams', '--day', '2026-01-05']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('resource: ')]);
  });

  it('shows what happened to an account', async () => {
    const { code, out } = await driveCli(service.url, ['timeline', 'patient/1']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d{4}-\S+\t\w+\t.+\t\w+\/\S+$/m)]);
    const none = await driveCli(service.url, ['timeline', 'patient/1', '--end', '2000-01-01', '--json']);
    expect(none.json()).toEqual({ data: [], more: false });
    expect((await driveCli(service.url, ['timeline', 'nobody'])).code).toBe(1);
  });

  it('lists messages up to the limit', async () => {
    const all = (await driveCli(service.url, ['messages', '--status', 'ignored', '--json'])).json<Listed>();
    expect([all.data.map(({ message_id }) => message_id).sort(), all.more]).toEqual([
      ['msg_1', 'msg_2', 'msg_3'],
      false,
    ]);
    const two = await driveCli(service.url, ['messages', '--event-type', 'provider.dance.created', '--limit', '2']);
    expect(two.out).toMatch(/^(\S+\tmsg_\d\tignored\t.+\n){2}$/);
    expect(two.err).toBe('More than 2 rows: raise --limit, or use --all.\n');
    expect((await driveCli(service.url, ['messages', '--limit', '0'])).code).toBe(2);
  });

  it('shows, sets and removes the order of sources', async () => {
    const sleep = async (...args: string[]): Promise<unknown> => {
      const run = await driveCli(service.url, ['priorities', ...args, '--json']);
      const { data } = run.json<{ data: { data_type: string; decided_by: string; sources: unknown[] }[] }>();
      const list = data.find(({ data_type }) => data_type === 'sleep');
      return [run.code, list?.decided_by, list?.sources];
    };
    const ring = [
      { provider: 'oura', type: 'ring' },
      { provider: 'withings', type: null },
    ];
    expect(await sleep()).toEqual([0, 'default', []]);
    expect(await sleep('set', 'sleep', 'oura/ring', 'withings')).toEqual([0, 'operator', ring]);
    expect(await sleep('set', 'sleep', 'withings', '--account', 'patient/1')).toEqual([0, 'account', [ring[1]]]);
    expect(await sleep('remove', 'sleep', '--account', 'patient/1')).toEqual([0, 'operator', ring]);
    const { out } = await driveCli(service.url, ['priorities', '--csv']);
    expect(out).toMatch(/^sleep,operator,oura\/ring withings,/m);
    expect((await driveCli(service.url, ['overview'])).out).toMatch(
      /^source_priorities +set 1, upstream_read_at \S+,/m,
    );
    expect(await sleep('remove', 'sleep')).toEqual([0, 'default', []]);
    expect((await driveCli(service.url, ['priorities', 'set', 'dreams', 'oura'])).code).toBe(2);
  });

  it('lists alarms, as text and as CSV', async () => {
    const none = await driveCli(service.url, ['alarms', '--json'], 'monitor-key');
    expect([none.code, none.json()]).toEqual([0, { data: expect.any(Array) }]);
    const csv = await driveCli(service.url, ['alarms', '--csv'], 'monitor-key');
    expect(csv.out.split('\r\n')[0]).toBe('code,since,count,providers,reasons,message,action,command,runbook');
  });

  it('explains every resource of a day', async () => {
    const { code, out } = await driveCli(service.url, ['explain', 'patient/1', '--day', '2026-01-05']);
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, coveredResources.length]);
    expect(out).toMatch(/^sleep\t\w+\t\w+\tNo sleep record/m);
    const csv = await driveCli(service.url, [
      'explain',
      'patient/1',
      '--day',
      '2026-01-05',
      '--resource',
      'sleep',
      '--csv',
    ]);
    expect(csv.out).toMatch(/^conclusion,resource,day,state,reason\r\n.+,sleep,2026-01-05,\w+,\w+\r\n$/);
  });

  it('shows the coverage of an account', async () => {
    const { user_id } = await adminCall<{ user_id: string }>(service.url, 'GET', '/accounts/patient%2F1');
    const oura = { name: 'Oura', slug: 'oura', logo: '' };
    const { headers, body } = signedMessage('msg_connection', {
      event_type: 'provider.connection.created',
      user_id,
      data: { user_id, provider: oura, source: oura, resource_availability: {} },
    });
    expect((await fetch(`${service.url}/webhooks`, { method: 'POST', headers, body })).status).toBe(204);
    await until(async () => {
      const { data } = await adminCall<Listed>(service.url, 'GET', '/accounts/patient%2F1/coverage?resource=sleep');
      return data.length === 1;
    });
    const args = [
      'coverage',
      'patient/1',
      '--resource',
      'sleep',
      '--first-day',
      '2026-01-01',
      '--last-day',
      '2026-01-02',
    ];
    const { code, out } = await driveCli(service.url, args);
    expect([code, out]).toEqual([0, expect.stringMatching(/^oura\tsleep\t2026-01-01\t2026-01-02\t2\t\w+\tfalse\t/)]);
    const asJson = await driveCli(service.url, [...args, '--json']);
    expect(asJson.json()).toMatchObject({ data: [{ provider: 'oura', runs: [{ days: 2 }] }] });
    expect((await driveCli(service.url, [...args, '--csv'])).out.split('\r\n')).toHaveLength(3);
  });

  it('finds, shows, blocks and unblocks accounts', async () => {
    const found = await driveCli(service.url, ['accounts', 'find', 'patient', '--csv']);
    expect(found.out).toMatch(/^account_id,status,user_id,log_ref,created_at,linked_at\r\npatient\/1,active,/);
    expect((await driveCli(service.url, ['accounts', 'find', 'nobody', '--json'])).json()).toEqual({
      data: [],
      more: false,
    });
    const shown = await driveCli(service.url, ['accounts', 'show', 'patient/1']);
    expect(shown.out).toMatch(/^status +active$/m);
    const blocked = await driveCli(service.url, ['accounts', 'block', 'patient/1', '--json']);
    expect(blocked.json()).toMatchObject({ account_id: 'patient/1', status: 'blocked' });
    const again = await driveCli(service.url, ['accounts', 'unblock', 'patient/1']);
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^status +active$/m)]);
    const disconnected = await driveCli(service.url, ['accounts', 'disconnect', 'patient/1', 'fitbit']);
    expect([disconnected.code, disconnected.out]).toEqual([0, expect.stringMatching(/^outcome +not_connected$/m)]);
    const relinked = await driveCli(service.url, ['accounts', 'relink', 'patient/1']);
    expect([relinked.code, relinked.err]).toEqual([1, expect.stringContaining('Upstream still has')]);
    expect((await driveCli(service.url, ['accounts', 'show', 'nobody'])).code).toBe(1);
    expect((await driveCli(service.url, ['accounts', 'block', 'patient/1'], 'viewer-key')).code).toBe(1);
  });

  it('lists orders, and records who informed the patient', async () => {
    const { user_id } = await adminCall<{ user_id: string }>(service.url, 'GET', '/accounts/patient%2F1');
    const { order } = await sandbox.control.createOrder({ user_id, notify: false });
    await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    await sandbox.control.setOrderStatus(order.id, 'redraw_available');
    await adminCall(service.url, 'POST', '/orders', { account_id: 'patient/1', order_id: order.id });
    const all = await driveCli(service.url, ['orders', '--account', 'patient/1', '--json']);
    expect(all.json<Listed>().data.map(({ order_id }) => order_id)).toEqual([order.id]);
    expect((await driveCli(service.url, ['orders', 'list', '--untold'])).out).toBe('');
    const transaction = order.order_transaction.id;
    const redraws = await driveCli(service.url, ['orders', 'redraws', '--untold']);
    expect(redraws.out).toMatch(new RegExp(`\t${transaction}\tpatient/1\t${order.id}\t-\t-\t-\n$`));
    const tell = ['orders', 'tell', '--transaction', transaction, '--how'];
    const told = await driveCli(service.url, [...tell, 'phone']);
    expect([told.code, told.out]).toEqual([0, expect.stringMatching(/^by +operator\nhow +phone\nreplayed +false$/m)]);
    const again = await driveCli(service.url, [...tell, 'email']);
    expect(again.out).toMatch(/^by +operator\nhow +phone\nreplayed +true$/m);
    expect((await driveCli(service.url, [...tell, 'email', '--json'])).json()).toMatchObject({
      how: 'phone',
      replayed: true,
    });
    expect((await driveCli(service.url, ['orders', 'redraws', '--untold'])).out).toBe('');
    const critical = await driveCli(service.url, ['orders', 'tell', '--order', order.id, '--how', 'phone']);
    expect([critical.code, critical.err]).toEqual([
      1,
      'This order has no critical result, so there is nothing to record.\n',
    ]);
  });

  it('exports a person as a page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'page-'));
    const path = join(folder, 'person.html');
    const { code, out } = await driveCli(service.url, ['export', 'patient/1', '--html', path]);
    const html = readFileSync(path, 'utf8');
    const refused = await driveCli(service.url, ['export', 'patient/1', '--html', path]);
    const mode = statSync(path).mode & 0o777;
    rmSync(folder, { recursive: true });
    expect([code, out, mode]).toEqual([0, expect.stringMatching(/^account +1$/m), 0o600]);
    expect(html).toMatch(/^<!doctype html>[^]*<h1>Stored data of patient\/1<\/h1>[^]*<h2>Account<\/h2>[^]*<\/html>\n$/);
    expect([refused.code, refused.err]).toEqual([1, 'The file already exists and is not overwritten.\n']);
    expect((await driveCli(service.url, ['export', 'patient/1'])).code).toBe(2);
  });

  it('survives a reader that closes the pipe', async () => {
    const args = ['messages', '--csv', '--url', service.url];
    const child = spawnProgram('src/main-cli.js', { PULSEKEEP_ADMIN_KEY: operatorKey }, args);
    child.stdout.destroy();
    const said: string[] = [];
    child.stderr.on('data', (text: Buffer) => said.push(text.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said.join('')]).toEqual([0, '']);
  });
});

describe('a pull that upstream delays', () => {
  let sandbox: Sandbox;
  let service: ServingPulsekeep;
  let close: Started['close'];

  beforeAll(async () => {
    ({ sandbox, service, close } = await started());
  });

  afterAll(() => close());

  it('is listed, and a waiting command shows the reason', async () => {
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
  });
});
