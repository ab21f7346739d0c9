import { existsSync } from 'node:fs';
import type { DatabaseConfig, SqliteConfig } from '../../platform/config/database-config.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import type { EntityClasses } from '../database/sqlite.js';
import { openStore, openWriter } from '../database/store.js';
import { type DatabaseIdentity, identityFault } from '../schema/database-identity.js';
import { acquireDatabaseLock } from '../schema/database-lock.js';
import { type Examined, examine } from '../schema/examine.js';
import { MigrationError, migrate } from '../schema/migrate.js';
import { DatabaseUnusable, opening } from '../schema/opening.js';
import { CopyError, Copying, type Run, type RunOptions, type Side } from './copying.js';

export interface CopyOptions extends RunOptions {
  readonly source: DatabaseConfig;
  readonly target: DatabaseConfig;
  readonly entities: EntityClasses;
  /** Region and environment from the configuration. */
  readonly stamp: DatabaseIdentity;
  /** Number of processes that reported recently. */
  readonly running: (rows: RowsOf, now: number) => Promise<number>;
}

type RowsOf = <T>(sql: string, values: readonly number[]) => Promise<T[]>;

export interface Copied extends Run {
  /** True if the database has an erasure journal, which the new database continues. */
  readonly hasJournal: boolean;
  /** Columns and indexes of the source that are not ours and were not copied. */
  readonly leftOut: readonly string[];
}

/**
 * Copies every row of a stopped service's database to an empty one of the other kind, and compares both. Throws {@link
 * CopyError}, DatabaseUnusable, and DatabaseInUse while a process serves a file.
 */
export async function copyDatabase(options: CopyOptions): Promise<Copied> {
  const { source, target } = options;
  const { journal } = await assertCopyable(options);
  const file = [source, target].find((config): config is SqliteConfig => config.kind === 'sqlite');
  const release = file ? await named(file === target, () => opening(file, () => acquireDatabaseLock(file.path))) : null;
  const open: Side[] = [];
  try {
    const from = await openSide(source, false, options);
    open.push(from);
    await assertStopped(from, options);
    const into = await openSide(target, true, options);
    open.push(into);
    const copied = await new Copying(from, into, options).run();
    return { ...copied, hasJournal: journal !== null, leftOut: from.foreign };
  } finally {
    for (const { store } of open) await store.close();
    release?.();
  }
}

async function openSide(config: DatabaseConfig, isTarget: boolean, { entities, now }: CopyOptions): Promise<Side> {
  const writer = await named(isTarget, () => opening(config, () => openWriter(config, entities)));
  try {
    const { foreign } = await migrate(writer, config, now);
    return { config, writer, foreign, store: await openStore(writer, config, new NetworkGate()) };
  } catch (error) {
    await writer.destroy();
    if (!(error instanceof MigrationError)) throw error;
    const variable = /^DATABASE_URL: /;
    const what = isTarget ? '--to: the database is not empty, or not of this version.' : 'DATABASE_URL:';
    const message = variable.test(error.message)
      ? error.message.replace(variable, isTarget ? '--to: ' : 'DATABASE_URL: ')
      : `${what} ${error.message}`;
    throw new CopyError(message, { cause: error });
  }
}

/** Errors about the target name its options. */
async function named<T>(isTarget: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTarget || !(error instanceof DatabaseUnusable)) throw error;
    const message = error.message.replaceAll('DATABASE_URL', '--to').replaceAll('DATABASE_KEY', '--to-key-file');
    throw new DatabaseUnusable(message, { cause: error });
  }
}

/** Opens nothing for writing. */
async function assertCopyable({ source, target, stamp }: CopyOptions): Promise<Examined> {
  if (source.kind === target.kind) {
    const kind = source.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    throw new CopyError(
      `DATABASE_URL and --to both name ${kind}. A copy goes to the other kind; within one kind, use backup and restore.`,
    );
  }
  const none = 'DATABASE_URL: there is nothing to copy, because no service has started on the database.';
  if (source.kind === 'sqlite' && !existsSync(source.path)) throw new CopyError(none);
  const examined = await examine(source);
  const { identity, pending, fault } = examined;
  if (fault !== null) throw new CopyError(fault);
  if (identity === null) throw new CopyError(none);
  if (pending.length > 0)
    throw new CopyError('The database was written by an older version: run `npm run migrate` first.');
  const mismatch = identityFault(identity, stamp);
  if (mismatch !== null) throw new CopyError(mismatch);
  return examined;
}

/** Not needed for a SQLite file, which is locked instead. */
async function assertStopped({ config, writer }: Side, { running, now }: CopyOptions): Promise<void> {
  if (config.kind === 'sqlite') return;
  if ((await running((sql, values) => writer.query(sql, [...values]), now)) === 0) return;
  throw new CopyError('Processes are using the database. Stop them first; after a crash, wait a minute.');
}
