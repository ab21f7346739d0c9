import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ObjectType } from 'typeorm';
import type { SandboxOptions } from '../../sandbox/options.js';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { createApp, type Pulsekeep } from '../../src/app/app.js';
import { openApiDocument } from '../../src/app/openapi/openapi.js';
import { measureResources, pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { Metrics } from '../../src/platform/platform/metrics.js';
import { ChainWorker } from '../../src/privacy/access-log/chain.worker.js';
import type { Store } from '../../src/storage/database/store.js';
import type { SchemaComparison } from '../../src/storage/schema/compare-schema.js';
import type { WorkerLoop } from '../../src/storage/work/worker-loop.js';
import { TransportTuning } from '../../src/upstream/transport/transport-tuning.js';
import { Documented } from './documented.js';
import {
  type AdminRole,
  accessToken,
  adminKeys,
  type Environment,
  environmentOn,
  SECOND,
  START,
  webhookSecret,
} from './environment.js';
import { FakeClock } from './fake-clock.js';
import { type Answer, type AnswerBody, callTo } from './http.js';
import { Table } from './tables.js';
import { type TestDatabase, testDatabase } from './test-store.js';

/** Shared by all applications in this process. */
let documented: Documented | undefined;

/** All applications of a run use the document of the first one, because making it takes longer than many tests. */
function documentOf({ app }: Pulsekeep): OpenAPIObject {
  const path = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'document.json');
  if (!existsSync(path)) {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(openApiDocument(app)));
    renameSync(`${path}.${process.pid}`, path);
  }
  return JSON.parse(readFileSync(path, 'utf8')) as OpenAPIObject;
}

/**
 * Skips the comparison, which takes a tenth of a start; the template was compared when it was made
 * (test/support/template.mjs).
 */
const asTemplate = async (): Promise<SchemaComparison> => ({ differences: [], foreign: [] });

type Upstream = Pick<Sandbox, 'url'> | Sandbox;

export interface TestAppOptions {
  /** Added to the variables of `environment.ts`, or replaces them. */
  readonly env?: Environment;
  readonly sandbox?: Partial<SandboxOptions>;
  /** Used instead of new ones; the caller closes them. */
  readonly database?: TestDatabase;
  readonly upstream?: Upstream;
  readonly clock?: FakeClock;
  readonly tuning?: Partial<TransportTuning>;
  /** Additional modules. Their responses are not checked against the OpenAPI document, which does not include them. */
  readonly modules?: readonly Type[];
  /** False: upstream sends no webhooks to this service. */
  readonly webhooks?: boolean;
}

interface Started extends TestAppOptions {
  readonly upstream: Upstream;
  readonly clock: FakeClock;
  readonly database: TestDatabase;
  readonly beside?: Pulsekeep;
}

/**
 * The real application on its own database, with the simulated upstream, over real HTTP. Both use one clock, which
 * stands still until `advance`. Background work runs only when a test requests it, until nothing is left to do.
 */
export class TestApp {
  private readonly others: TestApp[] = [];

  private constructor(
    /** All log lines of the application. */
    readonly logs: readonly string[],
    readonly pulsekeep: Pulsekeep,
    readonly url: string,
    private readonly upstream: Upstream,
    readonly clock: FakeClock,
    readonly database: TestDatabase,
    private readonly isDocumented: boolean,
    private readonly end: () => Promise<void>,
  ) {}

  static async create(options: TestAppOptions = {}): Promise<TestApp> {
    const database = options.database ?? (await testDatabase());
    const sandbox = options.upstream
      ? undefined
      : await startSandbox({ timeScale: 0, startAt: START, webhookSecret, ...options.sandbox });
    const end = async (): Promise<void> => {
      await sandbox?.close();
      if (!options.database) await database.drop();
    };
    const clock = options.clock ?? new FakeClock(START);
    const upstream = options.upstream ?? sandbox;
    if (!upstream) throw new Error('There is no upstream.');
    return TestApp.start({ ...options, upstream, clock, database }, end);
  }

  private static async start(
    { env, upstream, clock, database, tuning, webhooks = true, ...substitutes }: Started,
    end: () => Promise<void>,
  ): Promise<TestApp> {
    const config = readConfig(environmentOn(database, upstream.url, env), pulledResources, measureResources);
    const logs: string[] = [];
    const logDestination = { write: (line: string) => void logs.push(line) };
    const pulsekeep = await createApp(config, { ...substitutes, compare: asTemplate, clock, logDestination });
    // The clock stands still, so retries do not wait.
    Object.assign(pulsekeep.app.get(TransportTuning, { strict: false }), { sleep: async () => undefined }, tuning);
    const url = await pulsekeep.listen();
    const app = new TestApp(logs, pulsekeep, url, upstream, clock, database, !substitutes.modules, end);
    if (webhooks && 'control' in upstream) await upstream.control.configureWebhooks({ url: `${url}/webhooks` });
    return app;
  }

  /** Another service on the same open database and clock, which ends with this one. */
  async another(options: Pick<TestAppOptions, 'env' | 'upstream' | 'tuning' | 'clock'> = {}): Promise<TestApp> {
    const { upstream, clock, database, pulsekeep } = this;
    const given = { upstream, clock, database, webhooks: false, beside: pulsekeep, ...options };
    const other = await TestApp.start(given, () => Promise.resolve());
    this.others.push(other);
    return other;
  }

  get sandbox(): Sandbox {
    if ('control' in this.upstream) return this.upstream;
    throw new Error('Upstream is not the simulated one.');
  }

  get store(): Store {
    return this.pulsekeep.store;
  }

  /** The rows of an entity; `byId` compares the column `name`, by default the first column of the key. */
  table<T extends object>(entity: ObjectType<T>, name?: keyof T & string): Table<T> {
    return new Table(this.store.reader, entity, name);
  }

  get<T>(type: Type<T> | (abstract new (...given: never[]) => T)): T {
    return this.pulsekeep.app.get(type, { strict: false });
  }

  /** Runs one worker until it has nothing left to do at the current time. */
  run(worker: Type<{ readonly loop: WorkerLoop }>): Promise<void> {
    return this.get(worker).loop.runUntilIdle();
  }

  /** Gives recorded accesses their place in the access log. */
  chainAccesses(): Promise<void> {
    return this.run(ChainWorker);
  }

  /** Runs deliveries and all background work until neither has anything left to do at the current time. */
  async settle(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const { ran } = await this.sandbox.control.advance(0);
      // The workers have been idle since, and without a delivery nothing is new to them.
      if (round > 0 && ran === 0) return;
      await this.pulsekeep.workers.runUntilIdle();
    }
    throw new Error('The system does not come to rest.');
  }

  /** Moves both clocks in steps, so that work falling due on the way runs in order. */
  async advance(seconds: number, steps = 1): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.wait(seconds / steps);
      await this.settle();
    }
  }

  /** Moves both clocks without running any work here. */
  async wait(seconds: number): Promise<void> {
    this.clock.advance(seconds * SECOND);
    if ('control' in this.upstream) await this.upstream.control.advance(seconds);
  }

  async close(): Promise<void> {
    for (const other of this.others) await other.close();
    await this.pulsekeep.stop();
    await this.end();
  }

  /** Calls as an operator; `role` selects another role. */
  admin<T = AnswerBody>(
    method: string,
    path: string,
    body?: unknown,
    role: AdminRole = 'operator',
  ): Promise<Answer<T>> {
    return this.call<T>(method, `/admin/v1${path}`, `Bearer ${adminKeys[role]}`, body);
  }

  /** Calls as the app of a signed-in user. */
  async as<T = AnswerBody>(account: string, method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return this.call<T>(method, `/v1${path}`, `Bearer ${await this.appToken(account)}`, body);
  }

  appToken(account: string): Promise<string> {
    return accessToken(account, this.clock.now());
  }

  /** Signs in for the first time and connects a source, like the app; returns the upstream user. */
  async connect(account: string, provider: string, history: { days: number; per_day: number }): Promise<string> {
    const login = await this.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const link = await this.as<{ link_token: string }>(account, 'POST', '/me/link-token', { provider });
    await this.sandbox.control.link({ link_token: link.body.link_token, provider, history });
    return login.body.user_id;
  }

  /** Sends one request, such as `GET /path`, with a bearer token or without. */
  send<T = AnswerBody>(line: string, { token, body }: { token?: string; body?: unknown } = {}): Promise<Answer<T>> {
    const [method = 'GET', path = '/'] = line.split(' ');
    return this.call<T>(method, path, token === undefined ? {} : `Bearer ${token}`, body);
  }

  /** Checks every response against the OpenAPI document. */
  async call<T = AnswerBody>(
    method: string,
    path: string,
    authorization: string | Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer<T>> {
    const headers = typeof authorization === 'string' ? { authorization } : authorization;
    const answer = await callTo<T>(this.url, { method, path, headers, body });
    if (this.isDocumented) this.assertDocumented(method, path, answer);
    return answer;
  }

  /** Ids of upstream's users. */
  async upstreamUsers(): Promise<string[]> {
    const { users } = await this.sandbox.control.truthUsers();
    return users.map((user) => user.user_id);
  }

  /** Number of calls to an upstream operation such as `GET /v2/user`. */
  async callsTo(operation: string): Promise<number> {
    return (await this.sandbox.control.calls()).counts[operation] ?? 0;
  }

  /** The text of `/metrics`. */
  figures(): Promise<string> {
    return this.get(Metrics).registry.metrics();
  }

  /** The value of a metric with these labels; 0 if there is none. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const metric = await this.get(Metrics).registry.getSingleMetric(`pulsekeep_${name}`)?.get();
    const wanted = Object.entries(labels);
    const found = metric?.values.find(({ labels: held }) =>
      wanted.every(([label, text]) => (held as Record<string, unknown>)[label] === text),
    );
    return found?.value ?? 0;
  }

  private assertDocumented(method: string, path: string, { status, headers, body }: Answer<unknown>): void {
    documented ??= new Documented(documentOf(this.pulsekeep));
    const contentType = headers['content-type'] ?? null;
    const faults = documented.faultsOf({ method, path: path.split('?')[0] ?? '', status, contentType, body });
    if (faults.length > 0) throw new Error(`Not as documented: ${faults.slice(0, 9).join('; ')}`);
  }
}
