import { createHash } from 'node:crypto';
import { type DynamicModule, type Type, ValidationPipe } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { SignJWT } from 'jose';
import { AuthModule } from '../../../src/auth/auth.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { readConfig } from '../../../src/config/environment.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import type { Store } from '../../../src/database/store.js';
import { DeclarationsModule } from '../../../src/declarations/declarations.module.js';
import { ProblemFilter } from '../../../src/http/problem.filter.js';
import { registerRequestId } from '../../../src/http/request-id.js';
import { serverOptions } from '../../../src/http/server-options.js';
import { validationOptions } from '../../../src/http/validation.js';
import { Log } from '../../../src/platform/log.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { NetworkGate } from '../../../src/platform/network-gate.js';
import { PlatformModule } from '../../../src/platform/platform.module.js';
import { rooms } from '../../../src/rooms.js';
import { SchemaModule } from '../../../src/schema/schema.module.js';
import { TransportTuning } from '../../../src/upstream-transport/tuning.js';
import { WorkModule } from '../../../src/work/work.module.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

export const startOfTest = Date.parse('2026-11-20T12:00:00.000Z');
export const jwtSecret = 'a secret of the test, long enough';

/** Keys of the operators by role. */
export const adminKeys = { viewer: 'viewer-key', reader: 'reader-key', operator: 'operator-key' };

export function environment(overrides: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  const hash = (key: string): string => createHash('sha256').update(key).digest('hex');
  return {
    UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
    UPSTREAM_API_KEY: 'sk_us_sandbox',
    UPSTREAM_REGION: 'us',
    UPSTREAM_ENVIRONMENT: 'sandbox',
    UPSTREAM_REQUESTS_PER_SECOND: '10000',
    WEBHOOK_SECRETS: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY',
    APP_JWT_SECRET: jwtSecret,
    SYNC_RESOURCES: 'all',
    ADMIN_API_KEYS: Object.entries(adminKeys)
      .map(([role, key]) => `${role}-name:${role}:${hash(key)}`)
      .join(','),
    ...overrides,
  };
}

export interface FeatureApp {
  readonly app: NestFastifyApplication;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly metrics: Metrics;
  /** Lines of the log. */
  readonly logged: string[];
  get<T>(type: Type<T> | (abstract new (...args: never[]) => T)): T;
  /** One request; a body makes it JSON. */
  send(line: string, options?: { token?: string; body?: unknown }): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: AnswerBody;
}

/** Fields that tests look at, each where the route answers it. */
export interface AnswerBody {
  [field: string]: unknown;
  account_id: string;
  user_id: string;
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
  data: { account_id: string }[];
  next_cursor: string | null;
  sign_in_token: string;
  link_token: string;
  link_web_url: string;
  link_attempt_id: string;
}

export interface FeatureOptions {
  env?: Record<string, string | undefined>;
  /** Shared with another app; whoever opened it closes it. */
  store?: TestStore;
  clock?: FakeClock;
  /** Once the application is made and before it is initialised. */
  prepare?: (app: NestFastifyApplication) => void;
}

/** Some modules over the platform as the application puts them together, on a store of their own. */
export async function featureApp(
  modules: (Type<unknown> | DynamicModule)[],
  options: FeatureOptions = {},
): Promise<FeatureApp> {
  const store = options.store ?? (await testStore());
  const clock = options.clock ?? new FakeClock(startOfTest);
  const logged: string[] = [];
  const log = new Log({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
  const metrics = new Metrics();
  const imports = [
    ConfigModule.register(readConfig(environment(options.env), [])),
    PlatformModule.register({ clock, log, metrics, gate: store.gate ?? new NetworkGate() }),
    WorkModule,
    DatabaseModule.register(store),
    SchemaModule,
    DeclarationsModule.register(rooms),
    AuthModule,
    ...modules,
  ];
  const tuning = Object.assign(new TransportTuning(), { sleep: async () => undefined, random: () => 0.5 });
  const moduleRef = await Test.createTestingModule({ imports })
    .overrideProvider(TransportTuning)
    .useValue(tuning)
    .compile();
  const app = moduleRef.createNestApplication<NestFastifyApplication>(new FastifyAdapter(serverOptions([])), {
    logger: false,
  });
  registerRequestId(app.getHttpAdapter().getInstance());
  app.useGlobalPipes(new ValidationPipe(validationOptions));
  app.useGlobalFilters(new ProblemFilter(log, metrics));
  options.prepare?.(app);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return {
    app,
    store,
    clock,
    metrics,
    logged,
    get: (type) => app.get(type, { strict: false }),
    send: (line, request) => send(app, line, request),
    close: async () => {
      await app.close();
      if (!options.store) await store.close();
    },
  };
}

async function send(
  app: NestFastifyApplication,
  line: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<Answer> {
  const [method = 'GET', url = '/'] = line.split(' ');
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: (response.body === '' ? {} : JSON.parse(response.body)) as AnswerBody,
  };
}

/** An access token of the customer's own, good for five minutes of the test's time. */
export async function accessToken(accountId: string, atMs = startOfTest): Promise<string> {
  return new SignJWT({ sub: accountId })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(atMs / 1000) + 300)
    .sign(new TextEncoder().encode(jwtSecret));
}
