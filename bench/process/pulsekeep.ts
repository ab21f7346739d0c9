import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type BetterSqlite3 from 'better-sqlite3';
import { openSqlite } from '../../src/storage/database/sqlite-driver.js';
import { webhookSecret } from '../load/deliveries.js';
import { eventResource } from '../load/points.js';
import { benchFile, cores, cpuOf, endChild, spawnNode } from './child.js';
import { configOf, migrated } from './seed.js';
import type { Part } from './stage.js';

export const operatorKey = 'bench-operator-key';
/** A key may have 32 streams open. */
export const readerKeys = Array.from({ length: 32 }, (_, index) => `bench-reader-key-${index}`);
export const appSecret = 'bench-secret-of-at-least-32-bytes-length';

/** A port without a listener. */
export const deadPort = 9;

/** Interval of the event loop monitor; its figures include this. */
const RESOLUTION_MS = 10;

/** A complete configuration without real secrets; `database` is a file or a PostgreSQL URL. */
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
    ADMIN_API_KEYS: [operatorKey, ...readerKeys].map(operator).join(','),
    ACCOUNT_REQUESTS_PER_MINUTE: '1000000',
    SYNC_RESOURCES: eventResource,
    // No reads of introspection, so that nothing else runs.
    SYNC_MAX_INTERVAL_SECONDS: '3600',
    // To measure what traces cost.
    OTEL_EXPORTER_OTLP_ENDPOINT: process.env['OTEL_EXPORTER_OTLP_ENDPOINT'],
  };
}

const operator = (key: string, index: number): string =>
  `bench-${index}:operator:${createHash('sha256').update(key).digest('hex')}`;

/** Removed with all of its files at the end. */
export function temporaryFolder(): Part & { path(file: string): string } {
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
  return {
    path: (file) => join(folder, file),
    end: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A migrated file with `accounts` accounts. */
export async function preparedDatabase(accounts: number): Promise<Part & { path: string }> {
  const folder = temporaryFolder();
  const path = folder.path('pulsekeep.sqlite');
  await migrated(configOf(path), accounts);
  return { path, end: () => folder.end() };
}

interface Started extends Part {
  readonly child: ChildProcess;
  readonly port: number;
}

/** The program as run by `npm start`, in a separate process, with a reader of its database. */
export class PulsekeepProcess {
  private constructor(
    private started: Started,
    private readonly env: NodeJS.ProcessEnv,
    private readonly database: Part & { path: string },
    private readonly reader: BetterSqlite3.Database,
  ) {}

  get port(): number {
    return this.started.port;
  }

  /** `fill` may write to the database before the process starts. */
  static async start(
    accounts: number,
    upstreamPort: number,
    fill?: (path: string) => Promise<void>,
  ): Promise<PulsekeepProcess> {
    const database = await preparedDatabase(accounts);
    await fill?.(database.path);
    const env = environment(database.path, upstreamPort);
    const started = await startMain(env);
    return new PulsekeepProcess(started, env, database, openSqlite({ path: database.path }, { readonly: true }));
  }

  /** Stops the process and starts another one on its database. */
  async startAnew(): Promise<void> {
    await this.started.end();
    this.started = await startMain(this.env);
  }

  /** One row of its database. */
  row<T>(sql: string): T {
    return this.reader.prepare(sql).get() as T;
  }

  /** The last pull that was requested. */
  lastTask(): number {
    return this.row<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM sync_tasks').last;
  }

  /** CPU time in milliseconds. */
  cpu(): number {
    return cpuOf(this.started.child);
  }

  /** Resident memory in MiB; NaN if the system does not report it. */
  memory(): number {
    const path = `/proc/${this.started.child.pid}/status`;
    const resident = existsSync(path) ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
    return Number(resident) / 1024;
  }

  /** Longest turn of the event loop that serves HTTP since the last call, in milliseconds. */
  async longestTurn(): Promise<number> {
    const text = await this.ask('/metrics');
    const seconds = /^pulsekeep_nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(text)?.[1];
    return Math.max(0, Number(seconds) * 1_000 - RESOLUTION_MS);
  }

  ask(path: string): Promise<string> {
    return ask(this.port, path);
  }

  /** Waits until a query finds nothing; throws after `seconds`. */
  private async until(nothing: string, seconds: number): Promise<void> {
    const statement = this.reader.prepare(nothing);
    const deadline = Date.now() + seconds * 1000;
    while (statement.get() !== undefined) {
      if (Date.now() > deadline) throw new Error('Pulsekeep did not finish its work in time.');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Waits until no message has work left. */
  untilAllProcessed(seconds: number): Promise<void> {
    return this.until('SELECT 1 FROM messages WHERE due_at IS NOT NULL LIMIT 1', seconds);
  }

  untilAllPulled(seconds: number): Promise<void> {
    return this.until(`SELECT 1 FROM sync_tasks WHERE status IN ('pending', 'running') LIMIT 1`, seconds);
  }

  /** Requests a pull of all data of an account. */
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
    if (answer.status !== 202) throw new Error(`The request of a pull returned ${answer.status}.`);
  }

  async end(): Promise<void> {
    this.reader.close();
    await this.started.end();
    await this.database.end();
  }
}

/** A process that serves HTTP only, on a PostgreSQL. */
export function startApi(database: string): Promise<Started> {
  return startMain({ ...environment(database, deadPort), ROLE: 'api' });
}

/** A process that does everything, on a PostgreSQL. */
export function startAll(database: string): Promise<Started> {
  return startMain(environment(database, deadPort));
}

/** The response to an operator's request. */
export async function ask(port: number, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const call = request({ port, path, host: '127.0.0.1', headers }).end();
  const [answer] = (await once(call, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  if (answer.statusCode !== 200) throw new Error(`${path} returned ${answer.statusCode}.`);
  return Buffer.concat(chunks).toString();
}

async function startMain(env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawnNode(benchFile('../src/main.js'), { core: cores.measured, env, stdout: 'pipe', ipc: false });
  return { child, port: await listening(child), end: () => endChild(child) };
}

/** Returns the port from the first log lines; later lines are read and discarded. */
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
