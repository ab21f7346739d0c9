import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { adminCall, childEnvironment } from '../../support/child-env.js';
import { webhookSecret } from '../../support/environment.js';
import { ServingPulsekeep } from '../../support/serving-pulsekeep.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { driveCli } from './support/run-cli.js';

interface Receipt {
  erasure_id: string;
  state: string;
  deleted: Record<string, number>;
}

describe('a person', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let env: Record<string, string>;
  let service: ServingPulsekeep | null;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-cli-'));
    sandbox = await startSandbox({ timeScale: 1000, webhookSecret });
    database = await testDatabase();
    env = childEnvironment(database, sandbox.url);
    service = await ServingPulsekeep.start(env);
    for (const account_id of ['patient/1', 'patient-2']) {
      await adminCall(service.url, 'POST', '/accounts', { account_id });
    }
  });

  afterEach(async () => {
    await service?.stop();
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = (): string => String(service?.url);
  const users = async (): Promise<(string | null)[]> =>
    (await sandbox.control.truthUsers()).users.map(({ client_user_id }) => client_user_id);

  it('is erased here and upstream, and no one else', async () => {
    const ended = await driveCli(url(), ['erase', 'patient/1', '--yes', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.json<Receipt>()).toMatchObject({ state: 'waiting', error_code: null });
    expect(ended.out + ended.err).not.toContain('patient');
    const { data } = await adminCall<{ data: { account_id: string }[] }>(url(), 'GET', '/accounts');
    expect(data.map(({ account_id }) => account_id)).toEqual(['patient-2']);
    expect(await users()).toEqual(['patient-2']);
    const again = await driveCli(url(), ['erase', 'patient/1', '--yes']);
    expect(again.code).toBe(1);
  });

  it('cannot return under the same id until an operator opens it', async () => {
    const { erasure_id } = (await driveCli(url(), ['erase', 'patient/1', '--yes', '--json'])).json<Receipt>();
    const held = await driveCli(url(), ['fence', 'patient/1', '--json']);
    expect([held.code, held.json()]).toMatchObject([0, { erasure_id, state: 'holds' }]);
    expect((await driveCli(url(), ['fence', 'patient/1', '--open'])).code).toBe(2);
    expect((await driveCli(url(), ['fence', 'patient/1', '--open', '--yes'])).out).toContain('opened');
    expect((await driveCli(url(), ['fence', 'patient/1'])).code).toBe(1);
  });

  it('is not erased without --yes', async () => {
    const { code, err } = await driveCli(url(), ['erase', 'patient/1']);
    expect([code, err]).toEqual([2, 'error: an erasure cannot be undone; confirm with --yes\n']);
    expect(await users()).toHaveLength(2);
  });

  it('is exported to a file readable only by its owner, which is never overwritten', async () => {
    const file = join(folder, 'export.ndjson');
    const { code, out } = await driveCli(url(), ['export', 'patient/1', '--out', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^rows +[1-9]/m);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'header', account_id: 'patient/1' });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'footer' });
    const again = await driveCli(url(), ['export', 'patient/1', '--out', file]);
    expect([again.code, again.err]).toEqual([1, 'The file already exists and is not overwritten.\n']);
  });

  it('who does not exist leaves no file behind', async () => {
    const file = join(folder, 'export.ndjson');
    const { code } = await driveCli(url(), ['export', 'nobody', '--out', file]);
    expect([code, existsSync(file)]).toEqual([1, false]);
  });
});
