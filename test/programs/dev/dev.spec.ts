import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { until } from '../../support/until.js';

const build = String(process.env['PULSEKEEP_TEST_BUILD']);
/** For tests that are not about the data: of all resources, it takes most of a start. */
const few = { SYNC_RESOURCES: 'sleep' };

describe('npm run dev', () => {
  let folder: string;
  let dev: ChildProcessWithoutNullStreams;
  let said = '';
  const value = (name: string): string => new RegExp(`^${name} +(\\S+)`, 'm').exec(said)?.[1] ?? '';

  async function start(args: string[] = [], env: Record<string, string> = {}): Promise<void> {
    said = '';
    dev = spawn(process.execPath, [join(build, 'demo/dev.js'), ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => void (said += String(text)));
    await until(async () => said.includes('Ctrl-C stops everything.'));
  }

  async function stop(): Promise<void> {
    dev.kill('SIGINT');
    await once(dev, 'exit');
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dev-'));
  });

  afterEach(async () => {
    // It ends its children itself.
    if (dev.kill('SIGTERM')) await once(dev, 'exit');
    await until(async () => isRemoved());
  });

  /** False while a child that outlives its killed parent still writes as it ends. */
  function isRemoved(): boolean {
    try {
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      return false;
    }
  }

  function touchService(): void {
    const now = new Date();
    utimesSync(join(build, 'src/main.js'), now, now);
  }

  const answered = async (command: string): Promise<Record<string, unknown>> => {
    const curl = spawn('/bin/sh', ['-c', `${command} --silent --show-error`]);
    let body = '';
    curl.stdout.on('data', (text) => void (body += String(text)));
    await once(curl, 'close');
    return JSON.parse(body) as Record<string, unknown>;
  };

  it('prints working calls, restarts the service on a change, and stops everything at Ctrl-C', async () => {
    await start();
    const [me = '', today = '', records = '', overview = ''] = said
      .split('\n')
      .filter((line) => line.startsWith('  curl '));
    expect(await answered(me)).toMatchObject({ account: { account_id: value('user') } });
    expect(await answered(overview)).toMatchObject({ accounts: { active: 1 } });
    await until(async () => ((await answered(records))['data'] as unknown[]).length > 0);
    await until(async () => JSON.stringify((await answered(today))['latest']).includes('"heartrate"'));
    expect((await answered(today))['not_synced']).toEqual([]);
    expect(await answered(today)).toMatchObject({ last_night: { record: { resource: 'sleep' } } });
    const called = async (key: string, path: string): Promise<number> =>
      (await fetch(`${value('service')}${path}`, { headers: { authorization: `Bearer ${value(key)}` } })).status;
    expect(await called('backend key', `/v1/accounts/${value('user')}/today`)).toBe(200);
    expect(await called('feed key', '/v1/changes')).toBe(200);
    expect((await fetch(`${value('upstream')}/control/faults`)).status).toBe(200);
    const signIn = () => fetch(value('console'), { redirect: 'manual' });
    const { status, headers } = await signIn();
    expect([status, headers.get('location')]).toEqual([302, `${value('service')}/console?signed_in=1`]);
    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const asConsole = { headers: { cookie, 'x-pulsekeep-console': '1' } };
    expect((await fetch(`${value('service')}/admin/v1/sessions/current`, asConsole)).status).toBe(200);
    expect((await signIn()).status).toBe(410);

    const subscription = await fetch(`${value('service')}/admin/v1/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value('admin key')}`, 'content-type': 'application/json' },
      body: '{"url":"http://127.0.0.1:9/pulsekeep"}',
    });
    expect(subscription.status).toBe(201);

    // In the environment that it prints.
    const environment = /^ {2}set -a.*$/m.exec(said)?.[0] ?? 'false';
    const doctor = `${environment} && cd "${folder}" && "${process.execPath}" "${join(build, 'src/main-cli.js')}" doctor --json`;
    const { checks } = (await answered(`${doctor}; :`)) as { checks: { check: string; state: string }[] };
    expect(checks.filter(({ state }) => state === 'bad')).toEqual([]);

    touchService();
    await until(async () => said.includes('The service has restarted.'));
    expect(await answered(overview)).toMatchObject({ accounts: { active: 1 } });
    expect(readFileSync(join(value('logs'), 'pulsekeep.log'), 'utf8')).not.toContain('"level":"error"');

    dev.kill('SIGINT');
    const [code] = (await once(dev, 'exit')) as [number | null];
    expect(code).toBe(0);
    for (const address of [value('service'), value('upstream')]) await expect(fetch(address)).rejects.toThrow();
  });

  it('stops everything when its output is no longer read, and when it is killed', async () => {
    await start([], few);
    const addresses = (): string[] => [value('service'), value('upstream')];
    const isGone = (address: string): Promise<boolean> =>
      fetch(address).then(
        () => false,
        () => true,
      );
    const areGone = async (): Promise<boolean> => !(await Promise.all(addresses().map(isGone))).includes(false);
    dev.stdout.destroy();
    touchService();
    const [code] = (await once(dev, 'exit')) as [number | null];
    expect([code, await areGone()]).toEqual([0, true]);

    await start([], few);
    dev.kill('SIGKILL');
    await until(areGone);
  });

  it('ends with the reason if the service does not start', async () => {
    await start([], few);
    await stop();
    const other = new SqliteDatabase(join(folder, 'data/dev/pulsekeep.sqlite'));
    other.exec("INSERT INTO migrations (timestamp, name) VALUES (1, 'Later1')");
    other.close();
    said = '';
    dev = spawn(process.execPath, [join(build, 'demo/dev.js')], { cwd: folder });
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => void (said += String(text)));
    const [code] = (await once(dev, 'close')) as [number | null];
    expect([code, said]).toEqual([1, expect.stringContaining('The schema is newer than this program: Later1.')]);
    expect(said).toContain('`npm run dev -- --fresh` starts over');
  });

  it('keeps its data, keys and people, and accepts people, a port and origins', async () => {
    await start([], few);
    const curls = (): string[] => said.split('\n').filter((line) => line.startsWith('  curl '));
    const [, , records = '', , another = ''] = curls();
    expect(await answered(another)).toHaveProperty('sign_in_token');
    await until(async () => ((await answered(records))['data'] as unknown[]).length > 0);
    const truth = async (what: string): Promise<unknown> =>
      (await fetch(`${value('upstream')}/control/truth/${what}`)).json();
    const link = (await answered(
      `${curls()[5]} -H 'content-type: application/json' -d '{"provider":"garmin","redirect_url":"http://localhost:5173/done"}'`,
    )) as {
      link_web_url: string;
    };
    const page = new URL(link.link_web_url);
    expect(page.origin).toBe(value('upstream'));
    page.pathname = '/link/end';
    const ended = await fetch(page, { redirect: 'manual' });
    expect([ended.status, ended.headers.get('location')]).toEqual([
      307,
      expect.stringMatching(/^http:\/\/localhost:5173\/done\?link_attempt_id=[0-9a-f-]+&state=success$/),
    ]);
    const upstream = [await truth('orders'), await truth('users')];
    expect(upstream).toMatchObject([{ orders: [{ origin: 'initial' }, { origin: 'redraw' }] }, { users: [{}, {}] }]);
    const [key, secret] = [value('admin key'), value('JWT secret')];
    const port = new URL(value('service')).port;
    await stop();

    const refusal = async (env: Record<string, string>): Promise<string> => {
      const refused = spawn(process.execPath, [join(build, 'demo/dev.js')], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      let reason = '';
      refused.stderr.on('data', (text) => void (reason += String(text)));
      await once(refused, 'close');
      return reason;
    };
    expect(await refusal({ UPSTREAM_API_KEY_FILE: 'key' })).toContain(
      '`npm run dev` sets UPSTREAM_API_KEY itself: unset UPSTREAM_API_KEY_FILE',
    );
    expect(await refusal({ SYNC_RESOURCE: 'sleep' })).toBe(
      'SYNC_RESOURCE is not a variable of this service; the nearest is SYNC_RESOURCES.\n',
    );

    await start(['--people', '3'], { ...few, PORT: port, CORS_ORIGINS: 'https://app.example' });
    expect([value('admin key'), value('JWT secret'), new URL(value('service')).port]).toEqual([key, secret, port]);
    expect([await truth('orders'), await truth('users')]).toMatchObject([upstream[0], { users: { length: 3 } }]);
    const [, , again = '', overview = ''] = curls();
    expect(((await answered(again))['data'] as unknown[]).length).toBeGreaterThan(0);
    expect(await answered(overview)).toMatchObject({ accounts: { active: 3, user_gone: 0 } });
    expect(await answered(another)).toHaveProperty('sign_in_token');
    const preflight = await fetch(`${value('service')}/v1/me`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
    await stop();

    await start(['--fresh'], few);
    expect(value('admin key')).not.toBe(key);
    expect(await answered(curls()[3] ?? '')).toMatchObject({ accounts: { active: 1 } });
  });
});
