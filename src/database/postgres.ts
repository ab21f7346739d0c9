import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/list.js';
import { numberPlaceholders, type SqlInput, storeFailure, toSqlValue } from './dialect.js';
import { failingPlainly, Reader, type ReadManager } from './reader.js';
import { type EntityClasses, SilentLogger } from './sqlite.js';

const INT8_OID = 20;

/** Ids and epoch milliseconds stay below 2^53, so whole numbers arrive as numbers, as they do from SQLite. */
pg.types.setTypeParser(INT8_OID, Number);

export interface PostgresOptions {
  readonly url: string;
  readonly entities: EntityClasses;
  readonly poolSize: number;
  readonly readOnly: boolean;
}

/**
 * Connects with `synchronous_commit = on`, whatever the server's default: acknowledged means on disk; and without JIT
 * compilation, which costs more than any statement here takes. `options` of the address are kept, ours win.
 */
export async function openPostgres({ url, entities, poolSize, readOnly }: PostgresOptions): Promise<DataSource> {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.delete('options');
  const ours = ['-c synchronous_commit=on', '-c jit=off'];
  if (readOnly) ours.push('-c default_transaction_read_only=on');
  const source = new DataSource({
    type: 'postgres',
    url: address.toString(),
    entities,
    migrations: readOnly ? [] : migrations,
    migrationsTransactionMode: 'all',
    logger: new SilentLogger(),
    installExtensions: false,
    poolSize,
    connectTimeoutMS: 10_000,
    extra: { options: [given, ...ours].filter(Boolean).join(' '), keepAlive: true },
  });
  return source.initialize();
}

export class PostgresReader extends Reader {
  readonly dialect = 'postgres';
  readonly orm: ReadManager;

  constructor(private readonly source: DataSource) {
    super();
    this.orm = failingPlainly(source.manager);
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    try {
      return await this.source.query(numberPlaceholders(sql), parameters.map(toSqlValue));
    } catch (error) {
      throw storeFailure(error);
    }
  }
}
