import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';
import { driveCli } from './support/run-cli.js';

const personal = 'somebody@example.com';

describe('importing and recovering from the command line', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let service: ServingPulsekeep;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-cli-'));
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    const { users } = await sandbox.control.createUsers({ count: 3, prefix: 'customer' });
    for (const { user_id } of users) {
      const history = { days: 10, per_day: 4 };
      await sandbox.control.connect({ user_id, provider: 'oura', history, notify: false });
    }
    await sandbox.control.settle({ within_seconds: 3600 });
    service = await ServingPulsekeep.start(childEnvironment(database, sandbox.url));
  });

  afterEach(async () => {
    await service.stop();
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('adopts all users and ends with 0 without remaining differences', async () => {
    const { code, out, err } = await driveCli(service.url, ['accounts', 'import']);
    expect(code).toBe(0);
    expect(out).toMatch(/^adopted +3$/m);
    expect(out).toMatch(/^unknown_upstream +0$/m);
    expect(out.match(/^adopted\t-\tcustomer\S*\t\S+$/gm)).toHaveLength(3);
    expect(err).toContain('3 of 3 users, 3 adopted, 0 refused, 0 local only');
  });

  it('ends with 1 if a user cannot be imported, lists it in a private file, and hides the refused id', async () => {
    await sandbox.control.createUsers({ client_user_id: personal });
    const file = join(folder, 'differences');
    const ended = await driveCli(service.url, ['accounts', 'import', '--out', file, '--json']);
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({ state: 'done', adopted: 3, refused: 1, unknown_upstream: 0, differences: [] });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind).sort();
    expect(kinds).toEqual(['adopted', 'adopted', 'adopted', 'refused']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ended.out + ended.err + lines.join('')).not.toContain(personal);

    const again = await driveCli(service.url, ['accounts', 'import', '--out', file]);
    expect([again.code, again.err]).toEqual([1, 'The file already exists and is not overwritten.\n']);
  });

  it('shows the cost of a recovery, then starts it and counts its pulls', async () => {
    expect((await driveCli(service.url, ['accounts', 'import'])).code).toBe(0);
    await until(async () => {
      const { data } = await adminCall<{ data: object[] }>(service.url, 'GET', '/accounts?provider=oura');
      return data.length === 3;
    });
    const from = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const window = ['--from', from, '--to', new Date().toISOString(), '--json'];
    const dry = await driveCli(service.url, ['sync', 'recover', ...window, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.json()).toMatchObject({ dry_run: true, accounts: 3 });
    const none = await adminCall<{ data: object[] }>(service.url, 'GET', '/sync/recoveries');
    expect(none.data).toEqual([]);

    const made = await driveCli(service.url, ['sync', 'recover', ...window]);
    expect(made.code).toBe(0);
    const { planned, done, failed } = made.json<{ planned: number; done: number; failed: number }>();
    expect([planned > 0, done, failed]).toEqual([true, planned, 0]);
    expect(made.err).toMatch(/^recovery done: 100 %, /m);
  });
});
