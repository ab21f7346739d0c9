import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations/list.js';
import { requestContext } from '../../platform/platform/request-context.js';
import { ConnectionTurns } from './connection-turns.js';
import { numberPlaceholders, type SqlInput, storageUnavailable, storeFailure, toSqlValue } from './dialect.js';
import { limits, limitsOfServer, serverLimits } from './limits.js';
import { liftLimits, SilenceAwarePool } from './pool.js';
import { Reader } from './reader.js';
import type { Replica } from './replica.js';
import { neededSettings, type Place, refuseUnfit } from './session-settings.js';
import { type EntityClasses, SilentLogger } from './sqlite.js';

const INT8_OID = 20;

/** Ids and epoch milliseconds stay below 2^53, so integers are read as numbers, as from SQLite. */
pg.types.setTypeParser(INT8_OID, Number);

export interface PostgresOptions {
  readonly url: string;
  readonly entities: EntityClasses;
  readonly poolSize: number;
  readonly readOnly: boolean;
  /** Schema of our tables; default: the first one of the `search_path` at this moment. */
  readonly schema?: string | null;
}

/**
 * Connects with the settings of session-settings.ts regardless of the server's defaults, with timeouts on both sides,
 * and without JIT compilation, which costs more than any statement here. Keeps the address's `options`; ours take
 * precedence. A pooler may drop them all, so a session without a needed setting is refused. All sessions use the same
 * schema, even if another one that precedes it is created later.
 */
export async function openPostgres({
  url,
  entities,
  poolSize,
  readOnly,
  schema = null,
}: PostgresOptions): Promise<DataSource> {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.delete('options');
  // node-postgres treats any other word as true.
  if (address.searchParams.get('ssl') === 'false') address.searchParams.set('ssl', '0');
  // The driver checks the certificate in all three modes, but warns that a later version will not.
  if (/^(prefer|require|verify-ca)$/.test(address.searchParams.get('sslmode') ?? '')) {
    if (address.searchParams.get('uselibpqcompat') !== 'true') address.searchParams.set('sslmode', 'verify-full');
  }
  // Without row_security, a policy that would hide rows makes the statement fail.
  // A session waits idle in the pool, and during a start while another one works.
  const settings = [...neededSettings, 'jit=off', 'row_security=off', 'idle_session_timeout=0', ...serverLimits];
  if (readOnly) settings.push('default_transaction_read_only=on');
  const ours = settings.map((setting) => `-c ${setting}`);
  const place: Place = { schema: null };
  const source = new DataSource({
    type: 'postgres',
    url: address.toString(),
    entities,
    migrations: readOnly ? [] : migrations,
    migrationsTransactionMode: 'all',
    logger: new SilentLogger(),
    installExtensions: false,
    poolSize,
    connectTimeoutMS: limits.connect,
    driver: { Pool: SilenceAwarePool },
    extra: {
      verify: refuseUnfit(place),
      maxLifetimeSeconds: limits.life / 1_000,
      options: [given, ...ours].filter(Boolean).join(' '),
      keepAlive: true,
      keepAliveInitialDelayMillis: limits.keepAlive,
    },
  });
  await source.initialize();
  try {
    await pin(source, place, schema);
    return source;
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

/** Without any schema in its `search_path`, the role cannot use the database, which `describe` reports. */
async function pin(source: DataSource, place: Place, wanted: string | null): Promise<void> {
  const [found] = await source.query<{ schema: string | null; path: string }[]>(
    `SELECT current_schema() AS schema, current_setting('search_path') AS path`,
  );
  place.schema = wanted ?? found?.schema ?? null;
  if (place.schema === null) return;
  poolOf(source).pin(`"${place.schema.replaceAll('"', '""')}", ${found?.path}`);
}

function poolOf(source: DataSource): SilenceAwarePool {
  const { master } = source.driver as unknown as { readonly master: SilenceAwarePool };
  return master;
}

/** The schema that all sessions use; null if there is none. */
export async function schemaOf(source: DataSource): Promise<string | null> {
  const [found] = await source.query<{ schema: string | null }[]>('SELECT current_schema() AS schema');
  return found?.schema ?? null;
}

/** True if the address itself names the `search_path`. */
export function namesSearchPath(source: DataSource): boolean {
  const { options = '' } = source.options.extra as { readonly options?: string };
  return options.includes('search_path');
}

/**
 * Runs `work` on one connection without timeouts, for statements whose duration depends on the size of a table and that
 * cannot run in a transaction. If a pooler drops our limits at the start of a session, it may also run each statement
 * in another session, and a changed limit would affect the next client. Behind such a pooler, the role's limits stay.
 */
export async function withoutLimits<T>(source: DataSource, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  const runner = source.createQueryRunner();
  const restore = liftLimits((await runner.connect()) as pg.PoolClient);
  let lifted: readonly string[] = [];
  try {
    lifted = await limitsFromStart(runner);
    for (const limit of lifted) await runner.query(`SET ${limit} = 0`);
    return await work(runner);
  } finally {
    for (const limit of lifted) await runner.query(`RESET ${limit}`).catch(() => undefined);
    restore();
    await runner.release();
  }
}

/** Names of the limits that the session took from our start parameters. */
async function limitsFromStart(runner: QueryRunner): Promise<string[]> {
  const sql = `SELECT name FROM pg_settings WHERE name = ANY ($1) AND source = 'client'`;
  const found = (await runner.query(sql, [limitSettings])) as { name: string }[];
  return found.map(({ name }) => name);
}

/** The same in one transaction; the settings end with it, even behind a transaction pooler. */
export async function transactionWithoutLimits<T>(
  source: DataSource,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  const restore = liftLimits((await runner.connect()) as pg.PoolClient);
  try {
    await runner.startTransaction('READ COMMITTED');
    for (const limit of limitSettings) await runner.query(`SET LOCAL ${limit} = 0`);
    const result = await work(runner);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    restore();
    await runner.release();
  }
}

const limitSettings = Object.keys(limitsOfServer);

export class PostgresReader extends Reader {
  readonly dialect = 'postgres';

  override replica: Replica | null = null;

  private readonly turns: ConnectionTurns;

  /** `connections`: size of the pool of `source`. */
  constructor(
    private readonly source: DataSource,
    connections: number,
  ) {
    super();
    this.turns = new ConnectionTurns(connections);
  }

  override get fewSessions(): number | null {
    return poolOf(this.source).fewSessions;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    if (this.unfit !== null) throw storageUnavailable(new Error(this.unfit));
    const found = requestContext().mayReadReplica ? await this.replica?.rows<T>(sql, parameters) : null;
    return found ?? this.catalog(sql, parameters);
  }

  override async catalog<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    try {
      return await this.turns.run(() => this.source.query(numberPlaceholders(sql), parameters.map(toSqlValue)));
    } catch (error) {
      throw storeFailure(error);
    }
  }
}
