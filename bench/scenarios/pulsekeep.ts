import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type BetterSqlite3 from 'better-sqlite3';
import { Secret } from '../../src/config/secret.js';
import { openSqlite } from '../../src/database/sqlite-driver.js';
import { appSecret } from '../load/app-requests.js';
import { webhookSecret } from '../load/deliveries.js';
import { eventResource } from '../load/points.js';
import { benchFile, type Core, cores, cpuOf, endChild, spawnNode } from '../process/child.js';
import { migratedFile } from './seed.js';

/** The key of the one operator. */
export const operatorKey = 'bench-operator-key';

/** Nobody listens there. */
export const deadPort = 9;

/** A complete configuration; `database` is a file or an address. Nothing in it is a secret of anyone. */
export function environment(database: string, upstreamPort: number): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    DRAIN_SECONDS: '0',
    DATABASE_URL: database.startsWith('postgres') ? database : `sqlite:${database}`,
    UPSTREAM_BASE_URL: `http://127.0.0.1:${upstreamPort}`,
    UPSTREAM_API_KEY: 'sk_us_bench',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '10000',
    WEBHOOK_SECRETS: webhookSecret,
    APP_JWT_SECRET: appSecret,
    ADMIN_API_KEYS: `bench:operator:${createHash('sha256').update(operatorKey).digest('hex')}`,
    SYNC_RESOURCES: eventResource,
    // Introspection is not asked: nothing runs but what is measured.
    SYNC_MAX_INTERVAL_SECONDS: '3600',
  };
}

/** A folder with a migrated database of `accounts` accounts, encrypted where there is a key. */
export async function preparedDatabase(accounts: number, key?: Secret): Promise<{ folder: string; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
  const path = join(folder, 'pulsekeep.sqlite');
  await (await migratedFile(path, accounts, key)).close();
  return { folder, path };
}

/** A process of Pulsekeep, and where it listens. */
export interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

/** The program as `npm start` runs it, in a process of its own, and a reader of its database beside it. */
export class PulsekeepProcess {
  private constructor(
    private started: Started,
    private readonly env: NodeJS.ProcessEnv,
    private readonly folder: string,
    private readonly reader: BetterSqlite3.Database,
  ) {}

  get port(): number {
    return this.started.port;
  }

  private get process(): ChildProcess {
    return this.started.child;
  }

  /** `more`: variables beside those of `environment`. */
  static async start(accounts: number, upstreamPort: number, more: NodeJS.ProcessEnv = {}): Promise<PulsekeepProcess> {
    return PulsekeepProcess.on(await preparedDatabase(accounts, keyOf(more)), upstreamPort, more);
  }

  /** Takes the folder over and removes it at the end. */
  static async on(
    { folder, path }: { folder: string; path: string },
    upstreamPort: number,
    more: NodeJS.ProcessEnv = {},
  ): Promise<PulsekeepProcess> {
    const env = { ...environment(path, upstreamPort), ...more };
    const started = await startMain(env, cores.measured);
    return new PulsekeepProcess(started, env, folder, openSqlite({ path, key: keyOf(env) }, { readonly: true }));
  }

  /** Ends the process and starts another one on its database. */
  async startAnew(): Promise<void> {
    await endChild(this.process);
    this.started = await startMain(this.env, cores.measured);
  }

  /** One row of its database. */
  row<T>(sql: string): T {
    return this.reader.prepare(sql).get() as T;
  }

  /** One column of many rows. */
  numbers(sql: string): number[] {
    return this.reader.prepare(sql).pluck().all() as number[];
  }

  /** Has the system measure the most memory anew from here on. */
  forgetPeakMemory(): void {
    const path = `/proc/${this.process.pid}/clear_refs`;
    if (existsSync(path)) writeFileSync(path, '5');
  }

  /** The most memory it has had at a time since it started or since that was forgotten, in MiB; NaN where unknown. */
  peakMemory(): number {
    const path = `/proc/${this.process.pid}/status`;
    const peak = existsSync(path) ? /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
    return Number(peak) / 1024;
  }

  /** Milliseconds of processor time it has used. */
  cpu(): number {
    return cpuOf(this.process);
  }

  /** Waits until a query finds nothing; throws after `seconds`. */
  async until(nothing: string, seconds: number): Promise<void> {
    const statement = this.reader.prepare(nothing);
    const deadline = Date.now() + seconds * 1000;
    while (statement.get() !== undefined) {
      if (Date.now() > deadline) throw new Error('Pulsekeep did not finish its work in time.');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Waits until everything that was delivered is taken in and no message is in the given state. */
  untilNoMessage(state: string, seconds: number): Promise<void> {
    return this.until(`SELECT 1 FROM arrivals UNION ALL SELECT 1 FROM messages WHERE ${state} LIMIT 1`, seconds);
  }

  /** The same, until nothing is left to do for any. */
  untilAllProcessed(seconds: number): Promise<void> {
    return this.untilNoMessage('due_at IS NOT NULL', seconds);
  }

  /** Asks for a pull of everything an account has. */
  async requestSync(account: number, window: { start: number; end: number }): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/admin/v1/accounts/bench-${account}/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        resources: [eventResource],
        start: new Date(window.start).toISOString(),
        end: new Date(window.end).toISOString(),
      }),
    });
    if (answer.status !== 202) throw new Error(`A pull was answered with ${answer.status}.`);
  }

  async end(): Promise<void> {
    this.reader.close();
    await endChild(this.process);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Pulsekeep in one of its roles, on a database that others use as well. Nothing listens where it calls upstream. */
export function startRole(role: 'api' | 'worker', database: string, core: Core): Promise<Started> {
  return startMain({ ...environment(database, deadPort), ROLE: role }, core);
}

async function startMain(env: NodeJS.ProcessEnv, core: Core): Promise<Started> {
  const child = spawnNode(benchFile('../src/main.js'), { core, env, stdout: 'pipe', ipc: false });
  return { child, port: await listening(child) };
}

/** The key of the database in an environment. */
export function keyOf({ DATABASE_KEY: key }: NodeJS.ProcessEnv): Secret | undefined {
  return key === undefined ? undefined : new Secret(key);
}

/** The port it says it listens on; its further lines are read and dropped. */
async function listening(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('The output of Pulsekeep is not read.');
  const lines = createInterface({ input: child.stdout });
  const found = (async () => {
    for await (const line of lines) {
      const { event, url } = JSON.parse(line) as { event?: string; url?: string };
      if (event === 'listening' && url) return Number(new URL(url).port);
    }
    return undefined;
  })();
  const port = await Promise.race([found, once(child, 'exit').then(() => undefined)]);
  if (port === undefined) throw new Error('Pulsekeep did not start.');
  child.stdout.resume();
  return port;
}
