import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SignJWT } from 'jose';
import type { SandboxOptions } from '../../sandbox/options.js';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { createApp, type Pulsekeep } from '../../src/app.js';
import { pulledResources } from '../../src/catalogue/catalogue.js';
import { readConfig } from '../../src/config/environment.js';
import { openApiDocument } from '../../src/openapi.js';
import { TransportTuning } from '../../src/upstream-transport/tuning.js';
import { Documented, type Seen } from './documented.js';
import { FakeClock } from './fake-clock.js';
import { type TestDatabase, testDatabase } from './test-store.js';

const START = Date.parse('2026-11-20T12:00:00Z');
const adminKeys = { viewer: 'viewer-key', reader: 'reader-key', operator: 'operator-key' } as const;

export const appSecret = 'an-app-token-secret-for-tests-only-0123456789';
export const webhookSecret = `whsec_${Buffer.from('a-webhook-secret-for-tests-1').toString('base64')}`;

/** The same for every application in this process. */
let documented: Documented | undefined;

/** The document of the first application of a run serves all of it: making it takes longer than many a test. */
function documentOf({ app }: Pulsekeep): OpenAPIObject {
  const path = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'openapi.json');
  if (!existsSync(path)) {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(openApiDocument(app)));
    renameSync(`${path}.${process.pid}`, path);
  }
  return JSON.parse(readFileSync(path, 'utf8')) as OpenAPIObject;
}

export interface TestOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: Partial<SandboxOptions>;
  /** Use these instead of new ones; the caller ends them. */
  readonly database?: TestDatabase;
  readonly upstream?: Sandbox;
  readonly clock?: FakeClock;
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/**
 * The real application on a database of its own, with the simulated upstream, over real HTTP, at one clock that
 * stands still until `advance`. Background work runs when a test says so and until nothing is left to do.
 */
export class TestPulsekeep {
  private constructor(
    /** Every line the application has logged. */
    readonly logs: readonly string[],
    readonly pulsekeep: Pulsekeep,
    readonly url: string,
    readonly sandbox: Sandbox,
    readonly clock: FakeClock,
    readonly database: TestDatabase,
    private readonly owned: { sandbox: boolean; database: boolean },
  ) {}

  static async create(options: TestOptions = {}): Promise<TestPulsekeep> {
    const database = options.database ?? (await testDatabase());
    const sandbox =
      options.upstream ?? (await startSandbox({ timeScale: 0, startAt: START, webhookSecret, ...options.sandbox }));
    const clock = options.clock ?? new FakeClock(START);
    const config = readConfig({ ...environment(database, sandbox), ...options.env }, pulledResources);
    const logs: string[] = [];
    const pulsekeep = await createApp(config, { clock, logDestination: { write: (line) => void logs.push(line) } });
    // The clock stands still, so a repeated call waits for nobody.
    pulsekeep.app.get(TransportTuning, { strict: false }).sleep = () => Promise.resolve();
    const url = await pulsekeep.listen();
    await sandbox.control.configureWebhooks({ url: `${url}/webhooks` });
    const owned = { sandbox: !options.upstream, database: !options.database };
    return new TestPulsekeep(logs, pulsekeep, url, sandbox, clock, database, owned);
  }

  /** Lets deliveries and background work go on until neither has anything left to do at this instant. */
  async settle(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const { ran } = await this.sandbox.control.advance(0);
      const before = this.work();
      await this.pulsekeep.workers.runUntilIdle();
      if (ran === 0 && this.work() === before) return;
    }
    throw new Error('The system does not come to rest.');
  }

  /** Moves both clocks in steps, so that what falls due on the way happens in its order. */
  async advance(seconds: number, steps = 1): Promise<void> {
    for (let step = 0; step < steps; step++) {
      this.clock.advance((seconds * 1000) / steps);
      await this.sandbox.control.advance(seconds / steps);
      await this.settle();
    }
  }

  async close(): Promise<void> {
    await this.pulsekeep.stop();
    if (this.owned.sandbox) await this.sandbox.close();
    if (this.owned.database) await this.database.drop();
  }

  /** Calls as an operator; `operator` unless another role is asked for. */
  admin<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    role: keyof typeof adminKeys = 'operator',
  ): Promise<Answer<T>> {
    return this.call<T>(method, `/admin/v1${path}`, `Bearer ${adminKeys[role]}`, body);
  }

  /** Calls as the app of a user who is signed in with the customer. */
  async app<T = Record<string, unknown>>(
    account: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> {
    return this.call<T>(method, `/v1${path}`, `Bearer ${await this.appToken(account)}`, body);
  }

  appToken(account: string): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000);
    return new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(account)
      .setIssuedAt(now)
      .setExpirationTime(now + 600)
      .sign(new TextEncoder().encode(appSecret));
  }

  /** First login and a connected source, as the app does it; answers the upstream user. */
  async connect(account: string, provider: string, history: { days: number; per_day: number }): Promise<string> {
    const login = await this.app<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const link = await this.app<{ link_token: string }>(account, 'POST', '/me/link-token', { provider });
    await this.sandbox.control.link({ link_token: link.body.link_token, provider, history });
    return login.body.user_id;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    authorization: string | Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(typeof authorization === 'string' ? { authorization } : authorization),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const contentType = headers.get('content-type');
    const answered: unknown = /[/+]json\b/.test(contentType ?? '') ? JSON.parse(text) : text;
    this.assertDocumented({ method, path: new URL(response.url).pathname, status, contentType, body: answered });
    return { status, headers, body: answered as T };
  }

  /** Every answer a test gets is one the OpenAPI document describes. */
  private assertDocumented(seen: Seen): void {
    documented ??= new Documented(documentOf(this.pulsekeep));
    const faults = documented.faultsOf(seen);
    if (faults.length > 0) throw new Error(`Not as documented: ${faults.join('; ')}`);
  }

  private work(): number {
    return this.pulsekeep.workers.all().reduce((sum, loop) => sum + loop.productiveRounds, 0);
  }
}

function environment(database: TestDatabase, sandbox: Sandbox): Record<string, string> {
  const url = database.config.kind === 'sqlite' ? `sqlite:${database.config.path}` : database.config.url.reveal();
  const keys = Object.entries(adminKeys).map(([role, key]) => `${role}:${role}:${sha256(key)}`);
  return {
    PORT: '0',
    DATABASE_URL: url,
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: 'sk_us_sandbox',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '1000',
    WEBHOOK_SECRETS: webhookSecret,
    APP_JWT_SECRET: appSecret,
    APP_LINK_REDIRECT_ORIGINS: 'https://app.example.com',
    ADMIN_API_KEYS: keys.join(','),
    LOG_LEVEL: 'debug',
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** An id no other test uses. */
export function newAccountId(prefix = 'user'): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}
