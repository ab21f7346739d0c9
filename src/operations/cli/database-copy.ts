import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type DatabaseConfig, SqliteConfig } from '../../platform/config/database-config.js';
import { database, databaseKey, InvalidValue } from '../../platform/config/parsers.js';
import type * as DatabaseCopy from '../../storage/backup/copy-database.js';
import type { CopyProgress } from '../../storage/backup/copying.js';
import type * as Reopening from '../../storage/backup/reopen-database.js';
import { groupOf } from './api-commands.js';
import { type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { displayed, estimatedEnd } from './progress.js';
import { aligned } from './tables.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

interface CopyOptions extends OutputOptions {
  readonly to: string;
  readonly toKeyFile?: string;
}

type CopyRoom = typeof DatabaseCopy & typeof Reopening & { readonly running: DatabaseCopy.CopyOptions['running'] };

/** Lazy, because it loads the database drivers. */
async function copyRoom(): Promise<CopyRoom> {
  const [copy, reopening, { running }] = await Promise.all([
    import('../../storage/backup/copy-database.js'),
    import('../../storage/backup/reopen-database.js'),
    import('../alarms/alarms.repository.js'),
  ]);
  return { ...copy, ...reopening, running };
}

export function addDatabase(cli: Command, runner: Runner): void {
  const group = groupOf(cli, 'database', 'move a stopped service between SQLite and PostgreSQL');
  const copy = group
    .command('copy')
    .description('copy the database of this environment to the other kind and compare both; repeat to resume')
    .requiredOption('--to <url>', 'empty database: postgres://..., or sqlite:PATH of a new file')
    .option('--to-key-file <path>', 'file with the key that encrypts the new SQLite file');
  withOutputOptions(copy).action((options: CopyOptions) => runner.alone(options, (world) => copyTo(world, options)));
  const reopen = group
    .command('reopen')
    .description('allow the service to use the database of this environment again after a copy');
  withOutputOptions(reopen).action((options: OutputOptions) => runner.alone(options, reopenDatabase));
}

async function copyTo(world: CliWorld, { to, toKeyFile }: CopyOptions): Promise<Result> {
  const target = targetOf(to, toKeyFile);
  const { config: source, stamp } = world.database();
  const { copyDatabase, running, ...room } = await copyRoom();
  const entities = [...(await world.entities())];
  const startedAt = world.clock.now();
  const copied = await displayed(world, (display, signal) => {
    const onProgress = ({ phase, table, rows, total }: CopyProgress): void => {
      const done = phase === 'copy' ? rows : total + rows;
      const share = total === 0 ? 1 : Math.min(1, done / (2 * total));
      const counts = `${phase === 'copy' ? 'copied' : 'compared'} ${rows} of ${total} rows, ${table}`;
      display.show({ label: 'copy', share, counts, estimatedEnd: estimatedEnd(share, startedAt, world.clock.now()) });
    };
    const given = { source, target, entities, stamp, now: startedAt, running, signal, onProgress };
    return inWords(room, () => copyDatabase(given));
  });
  return resultOf(copied, { from: source.kind, to: target.kind, journal: world.configuration().erasure.journalPath });
}

/** Errors do not show the address, because it may contain a password. */
function targetOf(to: string, keyFile: string | undefined): DatabaseConfig {
  const target = parsed(
    () => database(to),
    (fault) => `--to ${fault}`,
  );
  if (keyFile === undefined) return target;
  if (target.kind === 'postgres')
    throw wrongUsage('--to-key-file is for a SQLite file: PostgreSQL has no database key.');
  const problem = '--to-key-file must name a file with 32 bytes as 64 hex digits.';
  return new SqliteConfig({
    ...target,
    key: parsed(
      () => databaseKey(readFileSync(keyFile, 'utf8').trim()),
      () => problem,
    ),
  });
}

function parsed<T>(parse: () => T, problem: (fault: string) => string): T {
  try {
    return parse();
  } catch (error) {
    throw wrongUsage(problem(error instanceof InvalidValue ? error.message : 'is not valid'));
  }
}

interface Ends {
  readonly from: DatabaseConfig['kind'];
  readonly to: DatabaseConfig['kind'];
  /** Path of the erasure journal of the source, if it has one. */
  readonly journal: string | undefined;
}

function resultOf({ tables, resumed, hasJournal, leftOut }: DatabaseCopy.Copied, { from, to, journal }: Ends): Result {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  const file = hasJournal && journal !== undefined ? journal : null;
  return {
    good: true,
    lines: [
      ...aligned(Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.rows]))),
      `Copied ${rows} rows in ${Object.keys(tables).length} tables; both databases have the same content.`,
      'The old database is closed. Set DATABASE_URL to the new one and start the service.',
      ...(leftOut.length === 0 ? [] : [`Not copied, because they are not part of the schema: ${leftOut.join(', ')}.`]),
      ...(file === null ? [] : [`Set ERASURE_JOURNAL_PATH=${file} as well: the new database continues that journal.`]),
    ],
    json: { state: 'copied', from, to, resumed, rows, journal: file, left_out: [...leftOut], tables },
  };
}

async function reopenDatabase(world: CliWorld): Promise<Result> {
  const { config } = world.database();
  const room = await copyRoom();
  const reopened = await inWords(room, () => room.reopenDatabase(config));
  const line = reopened ? 'The service may use the database again.' : 'The database is not closed; nothing to do.';
  return { good: true, lines: [line], json: { reopened } };
}

async function inWords<T>(room: Pick<CopyRoom, 'refusalOf'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = room.refusalOf(error);
    throw refusal === null ? error : new CliFailure(refusal.message, refusal.code);
  }
}
