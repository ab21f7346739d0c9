import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BackgroundThread } from '../../src/background.js';
import { Metrics } from '../../src/platform/metrics.js';
import { Budget } from '../../src/upstream-budget/budget.js';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { environmentOn, nowhere } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

/** Runs before the program, in each of its threads; the one of background work is given memory to share. */
const endsTheThread = `
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData instanceof SharedArrayBuffer) {
    setTimeout(() => { throw new Error('SECRET of a person'); }, 3_000);
  }`;

const loadsLate = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData instanceof SharedArrayBuffer) await delay(4_000);`;

/* On PostgreSQL background work has the thread of HTTP, or processes of its own. */
onSqlite('the thread of background work', () => {
  const budget = new Budget({ maxConcurrency: 1, requestsPerSecond: 1 });
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-thread-'));
  });

  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  async function deliver(child: ChildPulsekeep, id: string): Promise<number> {
    const { headers, body } = signedMessage(id, { event_type: 'a.b', data: {} });
    return (await fetch(`${child.url}/webhooks`, { method: 'POST', headers, body })).status;
  }

  const crashesOf = ({ output }: ChildPulsekeep): object[] =>
    output.filter((line) => line.includes('"app.crashed"')).map((line) => JSON.parse(line) as object);

  /** With a program of its own before each thread. */
  async function startAfter(program: string): Promise<ChildPulsekeep> {
    const preload = join(folder, 'preload.mjs');
    writeFileSync(preload, program);
    const more = { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
    return ChildPulsekeep.start({ ...childEnvironment(database, nowhere), ...more });
  }

  const metricsOf = async (child: ChildPulsekeep): Promise<string> =>
    (await fetch(`${child.url}/metrics`, { headers: { authorization: 'Bearer operator-key' } })).text();

  it('works on what the other one accepts; probes and metrics speak for both, and each figure is there once', async () => {
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere));
    try {
      expect(await deliver(child, 'm1')).toBe(204);
      await until(async () =>
        /worker_rounds_total\{worker="inbox",outcome="more"\} [1-9]/.test(await metricsOf(child)),
      );
      const text = await metricsOf(child);
      const series = text
        .split('\n')
        .flatMap((line) => (/^\w/.test(line) ? [line.slice(0, line.lastIndexOf(' '))] : []));
      expect(series.filter((name, index) => series.indexOf(name) !== index)).toEqual([]);
      expect(text).toContain('\npulsekeep_messages_received_total{outcome="accepted"} 1\n');
      expect(text).toContain('\npulsekeep_messages_processed_total{outcome="ignored"} 1\n');
      expect(text).toMatch(/^pulsekeep_build_info\{[^}]*role="all"[^}]*\} 1$/m);
      expect(text).not.toContain('role="worker"');
      expect((await fetch(`${child.url}/readyz`)).status).toBe(200);
    } finally {
      expect(await child.stop()).toBe(0);
    }
    const stopped = child.output.filter((line) => /"event":"(worker.abandoned|app.crashed)"/.test(line));
    expect(stopped).toEqual([]);
  });

  it('takes the process with it when it ends by itself, and says nothing of what it was about', async () => {
    const child = await startAfter(endsTheThread);
    await until(async () => child.hasEnded);
    expect(crashesOf(child)[0]).toMatchObject({ reason: 'uncaught_exception', at: expect.stringContaining('preload') });
    expect(child.output.join('\n')).not.toContain('SECRET');
  });

  it('says why it ends where it cannot open the file', async () => {
    const child = await startAfter(loadsLate);
    if (database.config.kind === 'sqlite') writeFileSync(database.config.path, 'SECRET of a person '.repeat(10_000));
    await until(async () => child.hasEnded);
    expect(crashesOf(child)[0]).toMatchObject({ error: 'SqliteError', code: 'SQLITE_NOTADB' });
    expect(child.output.join('\n')).not.toContain('SECRET');
  });

  it('is asked for no figures before it works, so that no scrape waits for it', async () => {
    const child = await startAfter(loadsLate);
    try {
      expect(await metricsOf(child)).not.toContain('metrics_unread_total{metric="thread"}');
      await until(async () => (await metricsOf(child)).includes('worker_rounds_total{worker="inbox"'));
    } finally {
      await child.stop();
    }
  });

  it('is asked for no figures once it has ended; those of its last answer are still shown', async () => {
    const thread = new BackgroundThread(environmentOn(database, nowhere), () => undefined);
    const metrics = new Metrics();
    thread.open({ workers: { leaveToThread: () => () => undefined }, metrics, budget });
    await until(async () => (await metrics.text()).includes('worker_rounds_total{worker="inbox"'));
    await thread.stop(1_000);
    const text = await metrics.text();
    expect(text).toContain('worker_rounds_total{worker="inbox"');
    expect(text).not.toContain('metrics_unread_total');
  });

  it('takes the process with it when it hangs, but not for the time in which the whole process stood still', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const lines: string[] = [];
    const thread = new BackgroundThread(environmentOn(database, nowhere), (line) => void lines.push(line));
    let standings = 0;
    thread.open({
      workers: { leaveToThread: () => () => void (standings += 1) },
      metrics: { alsoShow: () => undefined, showStoreWhen: () => undefined },
      budget,
    });
    try {
      await until(async () => standings > 0);
      jest.advanceTimersByTime(59_000);
      const before = standings;
      await until(async () => standings > before);
      jest.setSystemTime(Date.now() + 3_600_000);
      jest.advanceTimersByTime(59_000);
      expect(() => jest.advanceTimersByTime(3_000)).toThrow('does nothing any more');
    } finally {
      jest.useRealTimers();
      await thread.stop(1_000);
    }
  });
});
