import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SignJWT } from 'jose';
import { freePort } from '../harness/free-port.js';
import { type Running, startProgram } from '../harness/processes.js';
import { SandboxControl } from '../sandbox/control-client.js';
import { Rng } from '../sandbox/engine/random.js';
import { Member } from './cluster.js';
import { type Disturbed, postgresOn, sqliteIn } from './database.js';
import type { Options } from './options.js';
import { historyDays, resources } from './people.js';
import { Relay } from './relay.js';
import { Tally } from './tally.js';

/** Factor by which upstream's waits are shortened: the last retry, after ten hours, comes after 20 s. */
const TIME_SCALE = 1800;
const CALL_TIMEOUT_MS = 8_000;

export interface Answer<T> {
  /** 0 if there was no response. */
  readonly status: number;
  readonly body: T;
}

/** Sandbox, processes and database of one run, and clients of all of them. */
export class World {
  readonly injected = new Tally();
  private turn = 0;

  private constructor(
    readonly options: Options,
    readonly folder: string,
    readonly database: Disturbed,
    readonly members: readonly Member[],
    readonly control: SandboxControl,
    readonly seen: Tally,
    private readonly sandbox: Running,
    private readonly relay: Relay | null,
    private readonly keys: Keys,
  ) {}

  static async start(options: Options): Promise<World> {
    const base = resolve(options.folder);
    mkdirSync(base, { recursive: true });
    const folder = mkdtempSync(join(base, 'chaos-'));
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const keys = {
      operator: randomBytes(24).toString('hex'),
      app: randomBytes(32).toString('hex'),
      webhookSecret: secret,
    };
    const sandbox = await startProgram(
      'sandbox/main.js',
      {
        SANDBOX_PORT: '0',
        SANDBOX_SEED: options.seed,
        SANDBOX_WEBHOOK_SECRET: secret,
        SANDBOX_TIME_SCALE: `${TIME_SCALE}`,
      },
      join(folder, 'sandbox.log'),
    );
    const count = options.server === null ? 1 : 3;
    const database = options.server === null ? sqliteIn(folder) : await postgresOn(options.server, count);
    const ports = await Promise.all(Array.from({ length: count }, () => freePort()));
    const seen = new Tally();
    const members = ports.map(
      (port, index) =>
        new Member(
          `pulsekeep-${index}`,
          port,
          environment(options, folder, database.urlFor(index), sandbox.url, keys),
          folder,
          seen,
        ),
    );
    const relay = count === 1 ? null : await Relay.before(ports);
    const control = new SandboxControl(sandbox.url);
    const world = new World(options, folder, database, members, control, seen, sandbox, relay, keys);
    // One after another, because the first one creates the schema.
    for (const member of members) await member.start();
    await control.configure({ user_limit: null, points_per_event: 2, page_size: 50 });
    await control.configureWebhooks({
      url: `${relay?.url ?? members[0]?.url}/webhooks`,
      timeout_ms: 3000,
      concurrency: 64,
      exhausted_notice: false,
    });
    return world;
  }

  /** Random numbers of one part of the run, independent of other parts. */
  rng(...parts: string[]): Rng {
    return new Rng(this.options.seed, ...parts);
  }

  /** Calls the processes in turn. Never rejects. */
  async call<T>(method: string, path: string, token: string, body?: object, headers: object = {}): Promise<Answer<T>> {
    const member = this.members[this.turn++ % this.members.length];
    try {
      const response = await fetch(`${member?.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.status >= 500 && response.status !== 503) this.seen.add(`status ${response.status}`);
      return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T };
    } catch {
      return { status: 0, body: null as T };
    }
  }

  /** As an operator. */
  admin<T>(method: string, path: string, body?: object, headers: object = {}): Promise<Answer<T>> {
    return this.call(method, `/admin/v1${path}`, this.keys.operator, body, headers);
  }

  /** A page of the change feed. */
  feed<T>(query: string): Promise<Answer<T>> {
    return this.call('GET', `/v1/changes?${query}`, this.keys.operator);
  }

  /** As the app of a signed-in user. */
  async app<T>(account: string, method: string, path: string, body: object = {}): Promise<Answer<T>> {
    return this.call(method, `/v1${path}`, await this.token(account, '10m'), body);
  }

  /** Credentials of a signed-in user, an operator and upstream. */
  async credentials(account: string): Promise<{ operator: string; app: string; webhookSecret: string }> {
    const { operator, webhookSecret } = this.keys;
    return { operator, webhookSecret, app: await this.token(account, '1d') };
  }

  private token(account: string, lifetime: string): Promise<string> {
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(account)
      .setIssuedAt()
      .setExpirationTime(lifetime)
      .sign(new TextEncoder().encode(this.keys.app));
  }

  /** Every row of a list of the admin API; null if it could not be read completely. */
  async rows<T>(path: string): Promise<T[] | null> {
    const rows: T[] = [];
    let cursor: string | null = null;
    do {
      const query: string = new URLSearchParams({ limit: '500', ...(cursor === null ? {} : { cursor }) }).toString();
      const page: Answer<{ data: T[]; next_cursor: string | null }> = await this.admin('GET', `${path}?${query}`);
      if (page.status !== 200) return null;
      rows.push(...page.body.data);
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    return rows;
  }

  /** Sets the clocks of all processes this many milliseconds ahead of the real one. */
  stepClock(ms: number): void {
    writeFileSync(clockFile(this.folder), String(ms));
  }

  /** Stops everything. Returns the processes that had to be killed. With `keep`, the logs remain. */
  async stop(keep: boolean): Promise<number> {
    this.database.mend();
    const ended = await Promise.all(this.members.map((member) => member.stop(30_000)));
    this.relay?.close();
    await this.sandbox.stop();
    await this.database.drop();
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
    return ended.filter((byItself) => !byItself).length;
  }
}

function clockFile(folder: string): string {
  return join(folder, 'clock-ahead');
}

interface Keys {
  readonly operator: string;
  /** Signs the tokens of the customer's app. */
  readonly app: string;
  readonly webhookSecret: string;
}

function environment(
  options: Options,
  folder: string,
  databaseUrl: string,
  upstreamUrl: string,
  keys: Keys,
): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${new URL('stepped-clock.js', import.meta.url).href}`,
    CHAOS_CLOCK_FILE: clockFile(folder),
    DRAIN_SECONDS: '0',
    DATABASE_URL: databaseUrl,
    UPSTREAM_BASE_URL: upstreamUrl,
    UPSTREAM_API_KEY: 'sk_us_sandbox',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '500',
    UPSTREAM_TIMEOUT_MS: '2000',
    WEBHOOK_SECRETS: keys.webhookSecret,
    ACCOUNT_REQUESTS_PER_MINUTE: '1000000',
    APP_JWT_SECRET: keys.app,
    ADMIN_API_KEYS: `chaos:operator:${createHash('sha256').update(keys.operator).digest('hex')}`,
    SYNC_RESOURCES: resources.join(','),
    SYNC_INTERVAL_SECONDS: String(options.pullEvery),
    // Changes shown by neither an event nor upstream's newest record must be found within the settling time.
    SYNC_MAX_INTERVAL_SECONDS: String(2 * options.pullEvery),
    // Every scheduled pull covers all data, so that it finds changes without events.
    SYNC_LOOKBACK_HOURS: String((historyDays + 2) * 24),
    SYNC_BACKFILL_DAYS: String(historyDays + 2),
  };
}
