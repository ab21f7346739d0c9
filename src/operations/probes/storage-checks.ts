import { existsSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../platform/config/config.js';
import { AppError, describeError } from '../../platform/platform/errors.js';
import { JournalUnusable, readJournal } from '../../privacy/erasure/journal-file.js';
import { driverCode } from '../../storage/database/dialect.js';
import { companions } from '../../storage/database/file-watch.js';
import type { ReplicaFault } from '../../storage/database/replica.js';
import { replicaState } from '../../storage/database/standby.js';
import { startFault } from '../../storage/schema/described.js';
import { type Examined, examine } from '../../storage/schema/examine.js';
import { DatabaseUnusable, goneFault } from '../../storage/schema/opening.js';
import { freeBytesIn, nearest } from '../alarms/free-bytes.js';
import { counted } from '../explain/words.js';
import { type Check, place } from './check.js';

const MIB = 1024 * 1024;
const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;

const database = place('database');
const disk = place('disk');
const journal = place('erasure journal');
const replica = place('replica');

/** Checks that the database opens, belongs to this region and environment, and fits this version. */
export async function databaseCheck(
  { database: config, erasure, upstream }: Config,
  entities: readonly (new () => object)[],
  isOpenHere = false,
): Promise<Check> {
  if (config.kind === 'sqlite' && !existsSync(config.path)) {
    const gone = goneFault(config, erasure.journalPath);
    return gone === null
      ? database.ok(`${config.path} does not exist yet; the first start creates it.`)
      : database.bad(gone);
  }
  try {
    const examined = await examine(config, entities, { journalPath: erasure.journalPath, isOpenHere });
    const fault = startFault(examined, upstream);
    if (fault !== null) return database.bad(fault);
    const { identity, collation } = examined;
    const belongs = identity === null ? 'is new' : `belongs to ${upstream.region}/${upstream.environment}`;
    const kept = config.kind === 'postgres' ? '' : ` The file is ${config.key ? '' : 'not '}encrypted.`;
    const state = collation !== null && collation.indexes.length > 0 ? 'bad' : 'ok';
    return database[state](`It opens and ${belongs}.${kept}${remarks(examined)}${aboutCollation(collation)}`);
  } catch (error) {
    if (error instanceof DatabaseUnusable) return database.bad(error.message);
    throw error;
  }
}

/** Empty, or sentences with a leading space. */
function remarks({ pending, foreign, missingLimits, notVacuumed, sequences, weaknesses }: Examined): string {
  const said: readonly (readonly [number, string])[] = [
    [pending.length, `The next start runs ${pending.length} migrations.`],
    [foreign.length, `Foreign objects, left unchanged: ${foreign.join(', ')}.`],
    [missingLimits.length, `Its sessions lack ${missingLimits.join(', ')}: set them on its role.`],
    [notVacuumed, `Its role may not vacuum ${notVacuumed} tables, so erasures wait: make it their owner.`],
    [sequences.length, `The next start sets forward the sequences ${sequences.join(', ')}.`],
    [weaknesses.length, `Weaknesses: ${weaknesses.join('; ')}.`],
  ];
  return said.map(([count, sentence]) => (count === 0 ? '' : ` ${sentence}`)).join('');
}

/** Empty, or sentences with a leading space. */
function aboutCollation(change: Examined['collation']): string {
  if (change === null) return '';
  const { made, present, indexes } = change;
  const remedy = indexes.length === 0 ? '' : ` REINDEX ${indexes.join(', ')}: rows may not be found through them.`;
  return ` The collation version of the database changed from ${made} to ${present}; the service's own indexes do not depend on it.${remedy} Then ALTER DATABASE ... REFRESH COLLATION VERSION.`;
}

const replicaFindings: Readonly<Record<ReplicaFault, string>> = {
  unseen: 'was not looked at',
  untold: 'cannot be told from other databases, because the role of DATABASE_URL may not call pg_control_system',
  unreachable: 'cannot be reached',
  writable: 'is no standby: it accepts writes, or was promoted',
  other_database: 'is no standby of DATABASE_URL, or did not follow its last promotion',
  behind: 'does not show what the primary had committed a second before',
};

/** Checks that the standby of DATABASE_READ_URL can be used now. No check without one. */
export async function replicaChecks({ database: config }: Config): Promise<Check[]> {
  if (config.kind === 'sqlite' || !config.readUrl) return [];
  try {
    const { fault, lagMs, error } = await replicaState(config, config.readUrl);
    const lag = lagMs === null ? '' : `, by ${(lagMs / 1_000).toFixed(1)} s`;
    if (fault === null) return [replica.ok(`It shows what was committed ${(lagMs ?? 0) / 1_000} s before.`)];
    const why = fault === 'unreachable' ? ` (${codeOf(error)})` : lag;
    return [replica.bad(`DATABASE_READ_URL ${replicaFindings[fault]}${why}. Its reads go to the primary.`)];
  } catch {
    return [replica.skipped('The database cannot be read.')];
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof AppError ? error.cause : error;
  const { code, error: className } = describeError(cause);
  return driverCode(cause) ?? code ?? className;
}

/** Checks that the erasure journal exists and belongs to the database. */
export async function journalCheck(
  { database: config, erasure: { journalPath: path } }: Config,
  isOpenHere = false,
): Promise<Check> {
  if (path === undefined) {
    return journal.skipped('ERASURE_JOURNAL_PATH is not set: a restored backup cannot repeat later erasures.');
  }
  if (config.kind === 'sqlite' && !existsSync(config.path)) return journal.skipped('The database does not exist.');
  try {
    const { journal: name, fault } = await examine(config, [], { journalPath: path, isOpenHere });
    if (fault !== null) return journal.skipped('The database is unusable.');
    if (name === null) return journal.skipped('The database has no journal yet; the next start creates it.');
    return journal.ok(`${path} contains ${counted(readJournal(path, name).length, 'erasure')} of this database.`);
  } catch (error) {
    if (error instanceof DatabaseUnusable) return journal.skipped('The database cannot be read.');
    if (error instanceof JournalUnusable) return journal.bad(error.message);
    throw error;
  }
}

/**
 * Checks that a SQLite file, the files beside it and their folder can be written, and that the folder has space for
 * DISK_LOW_BYTES and for a copy of the file.
 */
export async function diskCheck({ database: config, disk: { lowBytes } }: Config): Promise<Check> {
  if (config.kind === 'postgres')
    return disk.skipped('Check the disk of PostgreSQL on its own host: the service cannot see it.');
  const folder = nearest(dirname(resolve(config.path)));
  const files = companions.map((suffix) => config.path + suffix).filter((path) => existsSync(path));
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    for (const file of files) await access(file, constants.R_OK | constants.W_OK);
    const size = existsSync(config.path) ? (await stat(config.path)).size : 0;
    const free = await freeBytesIn(folder);
    if (free < size)
      return disk.bad(
        `${mib(free)} free in ${folder}; a migration needs ${mib(size + MIB - 1)} for a copy of the database.`,
      );
    if (free < lowBytes) return disk.bad(`${mib(free)} free in ${folder}, less than DISK_LOW_BYTES.`);
    return disk.ok(`${mib(free)} free in ${folder}.`);
  } catch (error) {
    const { path = folder, code = 'unknown' } = error as NodeJS.ErrnoException;
    return disk.bad(`DATABASE_URL: ${path} cannot be written (${code}).`);
  }
}
