import { createHash, createHmac } from 'node:crypto';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { AuthModule } from '../../../src/auth/auth.module.js';
import { pulledResources } from '../../../src/catalogue/catalogue.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { readConfig } from '../../../src/config/environment.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { ProblemFilter } from '../../../src/http/problem.filter.js';
import { registerRequestId } from '../../../src/http/request-id.js';
import { serverOptions } from '../../../src/http/server-options.js';
import { validationOptions } from '../../../src/http/validation.js';
import { InboxModule } from '../../../src/inbox/inbox.module.js';
import { InboxWorker } from '../../../src/inbox/inbox.worker.js';
import type { MessageEntity } from '../../../src/inbox/message.entity.js';
import { registerWebhookRoute } from '../../../src/inbox/webhooks.route.js';
import { Log } from '../../../src/platform/log.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { PlatformModule } from '../../../src/platform/platform.module.js';
import { ensureIdentity } from '../../../src/schema/database-identity.js';
import { SchemaModule } from '../../../src/schema/schema.module.js';
import { WorkModule } from '../../../src/work/work.module.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

export const START = Date.parse('2026-11-20T12:00:00Z');
export const secret = `whsec_${Buffer.from('a-webhook-secret-for-tests-1').toString('base64')}`;
const keys = { viewer: 'viewer-key', reader: 'reader-key', operator: 'operator-key' } as const;

export type Role = keyof typeof keys;
export type Row = Omit<MessageEntity, 'body'>;

export interface Delivery {
  id?: string;
  /** Epoch milliseconds of the attempt; now when left out. */
  at?: number;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The headers upstream would send; written from supplement 5.2 alone. */
export function signedHeaders(id: string, at: number, body: string | Buffer): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,${digest}` };
}

/** The inbox and everything below it, on a database of its own, over real HTTP, with the simulated upstream. */
export class TestInbox {
  private ids = 0;

  private constructor(
    readonly logs: readonly string[],
    readonly store: TestStore,
    readonly clock: FakeClock,
    readonly sandbox: Sandbox,
    readonly app: NestFastifyApplication,
    readonly metrics: Metrics,
    readonly url: string,
  ) {}

  static async create(env: Record<string, string> = {}): Promise<TestInbox> {
    const store = await testStore();
    const clock = new FakeClock(START);
    await ensureIdentity(store.lane, store.reader, { region: 'us', environment: 'sandbox' }, START);
    const sandbox = await startSandbox({ timeScale: 0, startAt: START, seed: 'inbox' });
    const logs: string[] = [];
    const metrics = new Metrics();
    const log = new Log({ level: 'debug', destination: { write: (line) => void logs.push(line) } });
    const config = readConfig({ ...environment(sandbox), ...env }, pulledResources);

    @Module({
      imports: [
        ConfigModule.register(config),
        PlatformModule.register({ clock, log, metrics, gate: store.gate }),
        WorkModule,
        DatabaseModule.register(store),
        SchemaModule,
        AuthModule,
        InboxModule,
      ],
    })
    class InboxApp {}

    const app = await NestFactory.create<NestFastifyApplication>(InboxApp, new FastifyAdapter(serverOptions([])), {
      logger: false,
      abortOnError: false,
    });
    registerRequestId(app.getHttpAdapter().getInstance());
    app.useGlobalPipes(new ValidationPipe(validationOptions));
    app.useGlobalFilters(new ProblemFilter(log, metrics));
    registerWebhookRoute(app);
    await app.listen(0, '127.0.0.1');
    return new TestInbox(logs, store, clock, sandbox, app, metrics, (await app.getUrl()).replace(/\/$/, ''));
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.sandbox.close();
    await this.store.close();
  }

  get worker(): InboxWorker {
    return this.app.get(InboxWorker);
  }

  /** Delivers a signed message; answers the status. An object is sent as JSON. */
  async deliver(content: object | string | Buffer, { id, at, headers }: Delivery = {}): Promise<number> {
    const body = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    const signed = signedHeaders(id ?? this.newId(), at ?? this.clock.now(), body);
    const type = { 'content-type': 'application/json' };
    return (await this.call('POST', '/webhooks', { ...type, ...signed, ...headers }, body)).status;
  }

  newId(): string {
    this.ids += 1;
    return `msg_${this.ids}`;
  }

  /** Processes what is due now. */
  async work(): Promise<void> {
    await this.worker.loop.runUntilIdle();
  }

  async admin(
    method: string,
    path: string,
    { role = 'operator', body }: { role?: Role; body?: object } = {},
  ): Promise<Answer> {
    const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const headers = { authorization: `Bearer ${keys[role]}`, ...type };
    return this.call(method, `/admin/v1${path}`, headers, body && JSON.stringify(body));
  }

  async call(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      body: (json ? JSON.parse(text) : {}) as Record<string, unknown>,
    };
  }

  rows(): Promise<Row[]> {
    return this.store.reader.rows<Row>('SELECT * FROM messages ORDER BY seq');
  }

  async row(id: string): Promise<Row> {
    const row = await this.store.reader.row<Row>('SELECT * FROM messages WHERE message_id = ?', [id]);
    if (!row) throw new Error(`no message ${id}`);
    return row;
  }

  async count(table: string): Promise<number> {
    const row = await this.store.reader.row<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`);
    return row?.count ?? 0;
  }

  /** Makes every write that needs the table fail until the answer is called: a fault of the real store. */
  async withoutTable(table: string): Promise<() => Promise<void>> {
    await this.store.lane.run((tx) => tx.execute(`ALTER TABLE ${table} RENAME TO ${table}_gone`));
    return async () => {
      await this.store.lane.run((tx) => tx.execute(`ALTER TABLE ${table}_gone RENAME TO ${table}`));
    };
  }

  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const metric = await this.metrics.registry.getSingleMetric(`pulsekeep_${name}`)?.get();
    const wanted = Object.entries(labels);
    const found = metric?.values.find((value) =>
      wanted.every(([label, text]) => (value.labels as Record<string, unknown>)[label] === text),
    );
    return found?.value ?? 0;
  }
}

function environment(sandbox: Sandbox): Record<string, string> {
  const hashed = (key: string): string => createHash('sha256').update(key).digest('hex');
  return {
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: 'sk_us_sandbox',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '1000',
    WEBHOOK_SECRETS: secret,
    APP_JWT_SECRET: 'an-app-token-secret-for-tests-only-0123456789',
    ADMIN_API_KEYS: Object.entries(keys)
      .map(([role, key]) => `${role}:${role}:${hashed(key)}`)
      .join(','),
  };
}
