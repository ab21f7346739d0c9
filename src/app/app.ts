import { setTimeout as delay } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DestinationStream } from 'pino';
import { drain } from '../http/server/drain.js';
import { AlarmsService } from '../operations/alarms/alarms.service.js';
import type { Config, TracesConfig } from '../platform/config/config.js';
import type { DatabaseConfig } from '../platform/config/database-config.js';
import { nodeStanding } from '../platform/config/versions.js';
import type { Clock } from '../platform/platform/clock.js';
import type { Log } from '../platform/platform/log.js';
import { NetworkGate } from '../platform/platform/network-gate.js';
import { type PlatformParts, partsOf } from '../platform/platform.module.js';
import { RepeatedErasures } from '../privacy/erasure/repeated-erasures.service.js';
import type { LostFile } from '../storage/database/file-watch.js';
import { openStore, type Store } from '../storage/database/store.js';
import { ensureIdentity } from '../storage/schema/database-identity.js';
import { acquireDatabaseLock } from '../storage/schema/database-lock.js';
import type { MigrationOptions } from '../storage/schema/migrate.js';
import { assertNotGone, DatabaseUnusable, opening } from '../storage/schema/opening.js';
import { WorkerRegistry } from '../storage/work/worker-registry.js';
import { createHttpApplication } from './http-application.js';
import { migratedWriter } from './migrated-writer.js';
import { listening } from './start-failure.js';

/** Time that a stop waits for current work and requests. Unfinished work stays in the tables. */
const DRAIN_MS = 10_000;
/** Limit of a stop as a multiple of the drain time, in case something hangs. */
const DRAINS_PER_STOP = 1.5;

/** Long enough for a probe and a metrics scrape, by default once a minute, to see why the process ends. */
const LOST_NOTICE_MS = 65_000;

/** Replacements for tests and the demo. */
export interface AppSubstitutes {
  readonly clock?: Clock;
  readonly logDestination?: DestinationStream;
  /** In addition to the application's own. */
  readonly modules?: readonly Type[];
  /** Uses the open database of another Pulsekeep, which must be stopped after this one. */
  readonly beside?: Pulsekeep;
  readonly compare?: MigrationOptions['compare'];
}

export interface Pulsekeep {
  readonly app: NestFastifyApplication;
  readonly store: Store;
  readonly workers: WorkerRegistry;
  readonly log: Log;
  /** Resolves if the process can no longer serve and must exit with code 1, because its database file is gone. */
  readonly broken: Promise<DatabaseUnusable>;
  /** Listens and returns the address. The caller starts background work. */
  listen(): Promise<string>;
  /** Listens, starts background work if the role has any, logs it and returns the address. */
  start(): Promise<string>;
  /**
   * Reports `stopping` in `readyz` and keeps serving for `noticeMs`, so that load balancers stop routing here. Then
   * waits up to `drainMs` (default 10 s) for current requests and work, and closes the database. Takes at most
   * `noticeMs` plus 1.5 times `drainMs`. Safe to call twice.
   */
  stop(noticeMs?: number, drainMs?: number): Promise<void>;
}

/**
 * Migrates, checks the identity of the database and assembles the application; `start` begins to listen. If it rejects,
 * it leaves nothing open. Throws DatabaseUnusable, MigrationError, DatabaseInUse or JournalUnusable.
 */
export async function createApp(config: Config, substitutes: AppSubstitutes = {}): Promise<Pulsekeep> {
  const { modules = [], beside, compare, ...given } = substitutes;
  const parts = partsOf(config, beside ? { ...given, gate: beside.app.get(NetworkGate) } : given);
  if (beside) {
    const app = await createHttpApplication(config, parts, beside.store, modules);
    await app.get(RepeatedErasures, { strict: false }).run();
    const store = { ...beside.store, close: async () => undefined };
    return pulsekeep({ app, store, release: () => undefined, config, parts, endTraces: async () => undefined });
  }
  assertNotGone(config);
  const release = await opening(config.database, () => lockOf(config.database));
  let store: Store | undefined;
  let endTraces: EndTraces = async () => undefined;
  try {
    endTraces = await tracesTo(config.traces, parts);
    store = await openMigrated(config, parts, compare && { compare });
    const app = await createHttpApplication(config, parts, store, modules);
    await app.get(RepeatedErasures, { strict: false }).run();
    return pulsekeep({ app, store, release: () => release(true), config, parts, endTraces });
  } catch (error) {
    await endTraces();
    await store?.close();
    release();
    throw error;
  }
}

function lockOf(database: DatabaseConfig): (served?: boolean) => void {
  return database.kind === 'sqlite' ? acquireDatabaseLock(database.path) : () => undefined;
}

async function openMigrated(
  { database, erasure: { journalPath }, upstream: { region, environment } }: Config,
  { clock, gate, log }: PlatformParts,
  given: Pick<MigrationOptions, 'compare'> = {},
): Promise<Store> {
  const stamp = { region, environment };
  const { writer } = await migratedWriter(database, log, clock.now(), { ...given, stamp, journalPath });
  let store: Store | undefined;
  try {
    store = await openStore(writer, database, gate, clock);
    await ensureIdentity(store.lane, store.reader, stamp, clock.now());
    return store;
  } catch (error) {
    await (store ? store.close() : writer.destroy());
    throw error;
  }
}

/** Sends the last spans; takes two seconds at most. */
type EndTraces = () => Promise<void>;

/** Loads what measures spans only where a collector is configured. */
async function tracesTo({ endpoint }: TracesConfig, { metrics }: PlatformParts): Promise<EndTraces> {
  if (endpoint === undefined) return async () => undefined;
  const { openTraces } = await import('../platform/platform/open-traces.js');
  return openTraces(endpoint, metrics);
}

interface Pieces {
  app: NestFastifyApplication;
  store: Store;
  release: () => void;
  config: Config;
  parts: PlatformParts;
  endTraces: EndTraces;
}

function pulsekeep({ app, store, release, config, parts, endTraces }: Pieces): Pulsekeep {
  const { log, clock, thisProcess } = parts;
  const workers = app.get(WorkerRegistry);
  let stopping: Promise<void> | null = null;

  async function listen(): Promise<string> {
    await listening(config.http, (host) => app.listen(config.http.port, host));
    return (await app.getUrl()).replace(/\/$/, '');
  }

  async function start(): Promise<string> {
    const url = await listen();
    workers.start(config.role.role);
    warn(config, log);
    log.event('listening', { url, dialect: store.dialect });
    return url;
  }

  async function stop(noticeMs: number, drainMs: number): Promise<void> {
    log.event('stopping');
    const abandoned = workers.stop(drainMs);
    if (noticeMs > 0) await delay(noticeMs);
    const drained = drain(app.getHttpServer(), drainMs);
    await app.close().finally(drained);
    for (const worker of await abandoned) log.event('worker.abandoned', { worker }, 'warn');
    await endTraces();
    await store.close();
    release();
    log.event('stopped');
  }

  /** Work that does not finish in time ends with the process. */
  async function stopInTime(noticeMs: number, drainMs: number): Promise<void> {
    const ended = new AbortController();
    const stopMs = noticeMs + drainMs * DRAINS_PER_STOP;
    const deadline = delay(stopMs, 'deadline', { signal: ended.signal }).catch(() => undefined);
    const reason = await Promise.race([stop(noticeMs, drainMs).finally(() => ended.abort()), deadline]);
    if (reason !== undefined) log.event('stopped', { reason }, 'warn');
  }

  /** Reports the cause in `readyz`, the alarms and the log, and keeps serving until probes have seen it. */
  async function noticed({ fault, path }: LostFile): Promise<DatabaseUnusable> {
    const now = clock.now();
    log.event('database.file_lost', { reason: fault, file: path }, 'error');
    thisProcess.note('database_file_lost', now);
    await app.get(AlarmsService, { strict: false }).look(now);
    await delay(LOST_NOTICE_MS, undefined, { ref: false });
    return new DatabaseUnusable(`DATABASE_URL: ${path} was removed, moved or replaced while it was open (${fault}).`);
  }

  return {
    app,
    store,
    workers,
    log,
    listen,
    start,
    broken: store.lost.then(noticed),
    stop: (noticeMs = 0, drainMs = DRAIN_MS) => (stopping ??= stopInTime(noticeMs, drainMs)),
  };
}

/** Logs possible problems of the configuration or Node version. Only certain errors prevent a start. */
function warn({ upstream, ignored: { proxies, unknown } }: Config, log: Log): void {
  const version = process.versions.node;
  if (nodeStanding(version) === 'untested') log.event('app.node_untested', { version }, 'warn');
  // A key with an unknown prefix may be valid; upstream decides.
  if (upstream.apiKeyIsUnfamiliar) {
    log.event('config.api_key_unfamiliar', { variable_names: ['UPSTREAM_API_KEY'] }, 'warn');
  }
  // A company network may allow outgoing connections only through its proxy.
  if (proxies.length > 0) log.event('config.proxy_ignored', { variable_names: proxies }, 'warn');
  for (const { name, nearest } of unknown) {
    log.event('config.variable_unknown', { variable_names: [name], nearest }, 'warn');
  }
}
