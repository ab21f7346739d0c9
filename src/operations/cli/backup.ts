import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Command } from 'commander';
import type { PostgresConfig } from '../../platform/config/database-config.js';
import { databaseKey } from '../../platform/config/parsers.js';
import type { Secret } from '../../platform/config/secret.js';
import { version } from '../../platform/config/versions.js';
import { newId } from '../../platform/platform/ids.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import { beginJournal, type JournalEntry, JournalUnusable, readJournal } from '../../privacy/erasure/journal-file.js';
import { changeDatabaseKey } from '../../storage/backup/change-database-key.js';
import { makeBackup } from '../../storage/backup/make-backup.js';
import { BackupError, type Manifest } from '../../storage/backup/manifest.js';
import type * as PostgresBackup from '../../storage/backup/postgres-backup.js';
import {
  forgetJournal,
  type JournalOfRestore,
  type Restored,
  restoreBackup,
  verifyBackup,
} from '../../storage/backup/restore-backup.js';
import { EncryptionUnavailable } from '../../storage/database/sqlite-driver.js';
import { acquireDatabaseLock, DatabaseInUse } from '../../storage/schema/database-lock.js';
import { DatabaseUnusable, databaseFailure, opening } from '../../storage/schema/opening.js';
import { type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { displayed } from './progress.js';
import { aligned } from './tables.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

interface BackupOptions extends OutputOptions {
  readonly out: string;
}

interface RestoreOptions extends OutputOptions {
  readonly verify?: true;
  readonly withoutErasures?: true;
}

interface KeyOptions extends OutputOptions {
  readonly oldKeyFile?: string;
}

/** Lazy, because it loads the database drivers. */
async function onPostgres(
  world: CliWorld,
): Promise<typeof PostgresBackup & Pick<PostgresBackup.PostgresDatabase, 'entities'>> {
  const [room, entities] = await Promise.all([import('../../storage/backup/postgres-backup.js'), world.entities()]);
  return { ...room, entities: [...entities] };
}

export function addBackup(cli: Command, runner: Runner): void {
  const command = cli
    .command('backup')
    .description('back up the database of this environment, even while the service runs, and verify the copy')
    .requiredOption('--out <path>', 'new file; its manifest is written to PATH.json');
  withOutputOptions(command).action((options: BackupOptions) =>
    runner.alone(options, (world) => inWords(world, () => backup(world, options.out))),
  );
}

export function addRestore(cli: Command, runner: Runner): void {
  const command = cli
    .command('restore')
    .description('replace the database of this environment with a backup; stop the service first')
    .argument('[path]', 'file made by `backup`; omit it with --without-erasures to keep the current database')
    .option('--verify', 'only verify the backup and show its content')
    .option('--without-erasures', 'proceed without the erasure journal; people erased since the backup are restored');
  withOutputOptions(command).action((path: string | undefined, options: RestoreOptions) => {
    const { verify: isCheck, withoutErasures } = options;
    if (path === undefined && (isCheck || !withoutErasures)) command.error("error: missing required argument 'path'");
    return runner.alone(options, (world) =>
      inWords(world, () => {
        if (path === undefined) return goOn(world);
        return isCheck ? verify(world, path) : restore(world, path, withoutErasures === true);
      }),
    );
  });
}

export function addChangeDatabaseKey(cli: Command, runner: Runner): void {
  const command = cli
    .command('change-database-key')
    .description('encrypt the SQLite file with DATABASE_KEY, or decrypt it if that is unset; stop the service first')
    .option('--old-key-file <path>', 'file with its current key');
  withOutputOptions(command).action((options: KeyOptions) =>
    runner.alone(options, (world) => inWords(world, () => changeKey(world, options))),
  );
}

async function backup(world: CliWorld, target: string): Promise<Result> {
  const { config } = world.database();
  await opening(config, () => undefined);
  return displayed(world, async (display, signal) => {
    const onProgress = (share: number): void =>
      display.show({ label: 'backup', share, counts: 'copied', estimatedEnd: null });
    const options = { target, now: world.clock.now(), version, signal };
    const made =
      config.kind === 'sqlite'
        ? await makeBackup({ ...options, source: config, onProgress })
        : await onPostgres(world).then(({ makePostgresBackup, entities }) =>
            makePostgresBackup({ ...options, config, entities }),
          );
    return resultOf('made and checked', made, {});
  });
}

async function verify(world: CliWorld, path: string): Promise<Result> {
  const { config, stamp } = world.database();
  const { manifest, pending } =
    config.kind === 'sqlite'
      ? await verifyBackup({ path, key: config.key }, stamp)
      : await onPostgres(world).then((room) => room.verifyPostgresBackup(path, stamp, room.entities));
  return resultOf('good', manifest, { migrations_to_run: [...pending] });
}

async function restore(world: CliWorld, path: string, withoutErasures: boolean): Promise<Result> {
  const { config, stamp } = world.database();
  const journal = await journalFor(world, withoutErasures);
  const options = { backup: path, stamp, now: world.clock.now(), journal };
  const restored = await (config.kind === 'sqlite'
    ? restoreBackup({ ...options, target: config })
    : restoreOnPostgres(world, config, options)
  ).catch((error: unknown) => {
    journal.discard();
    throw error;
  });
  const { manifest, pending, kept } = restored;
  const later = journal.since(manifest);
  const more = { migrations_to_run: [...pending], kept, erasures_to_repeat: later };
  const result = resultOf('restored', manifest, more);
  const old = config.kind === 'postgres' ? 'replaced' : (kept ?? 'none');
  return { ...result, lines: [...result.lines, `old database  ${old}`, ...aboutErasures(restored, later)] };
}

/** For a database that was not restored by this command and whose erasure journal is lost. */
async function goOn(world: CliWorld): Promise<Result> {
  const { config } = world.database();
  const release = config.kind === 'sqlite' ? acquireDatabaseLock(config.path) : () => undefined;
  try {
    await opening(config, () => undefined);
    const journal = await journalFor(world, true);
    if (config.kind === 'sqlite') await forgetJournal(config, journal.anew?.name ?? null);
    else {
      const { goOnWithoutErasures, entities } = await onPostgres(world);
      await goOnWithoutErasures({ config, entities, running: await countRunning(), now: world.clock.now(), journal });
    }
  } finally {
    release();
  }
  return { good: true, lines: ['The database now has a new erasure journal.'], json: { state: 'anew' } };
}

async function restoreOnPostgres(
  world: CliWorld,
  config: PostgresConfig,
  options: Omit<PostgresBackup.PostgresRestoreOptions, 'config' | 'entities' | 'running'>,
): Promise<Restored> {
  const { restorePostgres, entities } = await onPostgres(world);
  return restorePostgres({ ...options, config, entities, running: await countRunning() });
}

const countRunning = async (): Promise<PostgresBackup.PostgresRestoreOptions['running']> =>
  (await import('../alarms/alarms.repository.js')).running;

interface Journal extends JournalOfRestore {
  /** Number of erasures after a backup; null if unknown. */
  readonly since: (manifest: Manifest) => number | null;
  /** Removes a file that was made for nothing: beside it, an empty database is refused. */
  readonly discard: () => void;
}

async function journalFor(world: CliWorld, withoutErasures: boolean): Promise<Journal> {
  const path = world.configuration().erasure.journalPath;
  if (withoutErasures) {
    const name = path === undefined ? null : newId();
    const isNew = path !== undefined && !existsSync(path);
    if (path !== undefined && name !== null) await beginJournal(path, name);
    const discard = (): void => (isNew ? rmSync(path) : undefined);
    return { fault: () => null, anew: { name }, since: () => null, discard };
  }
  const entries = (name: string): JournalEntry[] => (path === undefined ? [] : readJournal(path, name));
  return {
    fault: (name) => {
      if (path === undefined)
        return 'ERASURE_JOURNAL_PATH: the backup has an erasure journal; set the path to that file.';
      try {
        entries(name);
        return null;
      } catch (error) {
        if (error instanceof JournalUnusable) return error.message;
        throw error;
      }
    },
    since: ({ journal, made_at }) => {
      return journal === null
        ? null
        : entries(journal).filter(({ at }) => at >= (parseUtcInstant(made_at) ?? 0)).length;
    },
    discard: () => undefined,
  };
}

async function changeKey(world: CliWorld, { oldKeyFile }: KeyOptions): Promise<Result> {
  const { config } = world.database();
  if (config.kind === 'postgres') throw wrongUsage('PostgreSQL has no database key: encrypt its disk instead.');
  const oldKey = oldKeyFile === undefined ? undefined : keyIn(oldKeyFile);
  const changed = await changeDatabaseKey({ target: config, oldKey });
  const state = config.key ? 'encrypted with DATABASE_KEY' : 'not encrypted';
  return {
    good: true,
    lines: [
      `The file is ${state}${changed ? '' : ' (unchanged)'}.`,
      ...(changed ? ['Existing backups and copies are unchanged.'] : []),
    ],
    json: { encrypted: config.key !== undefined, changed },
  };
}

function keyIn(path: string): Secret {
  try {
    return databaseKey(readFileSync(path, 'utf8').trim());
  } catch {
    throw wrongUsage('--old-key-file must name a file with 32 bytes as 64 hex digits.');
  }
}

function aboutErasures({ kept }: Restored, later: number | null): string[] {
  if (later === null)
    return ['Restored without an erasure journal: find the erasures requested after the backup and repeat them.'];
  if (later === 0) return [];
  return [
    `Erasures after this backup: ${later}. The next start repeats them before it serves requests.`,
    ...(kept === null
      ? []
      : [
          `The old database still contains the data written after the backup: remove ${kept} when it is no longer needed.`,
        ]),
  ];
}

function resultOf(state: string, manifest: Manifest, more: Readonly<Record<string, unknown>>): Result {
  const { made_at, version: by, region, environment, bytes, sha256, counts, migrations } = manifest;
  const { accounts = 0, messages = 0, samples = 0, summaries = 0, orders = 0 } = counts;
  const belongs = `${region}/${environment}`;
  const held = { accounts, messages, samples, summaries, orders };
  return {
    good: true,
    lines: aligned({
      backup: state,
      made_at,
      version: by,
      belongs,
      migrations: migrations.length,
      ...held,
      bytes,
      sha256,
    }),
    json: { state, ...manifest, ...more },
  };
}

async function inWords(world: CliWorld, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new CliFailure(`${error.message} Stop it first.`, 'database_in_use');
    const refusals = [BackupError, EncryptionUnavailable, DatabaseUnusable, JournalUnusable];
    const refusal = refusals.some((known) => error instanceof known) ? error : fileFailure(world, error);
    throw refusal instanceof Error ? new CliFailure(refusal.message, 'backup_refused') : error;
  }
}

/** Describes a system error about the database file or a file beside it; null for any other error. */
function fileFailure(world: CliWorld, error: unknown): DatabaseUnusable | null {
  const { syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (syscall === undefined) return null;
  const { config } = world.database();
  if (config.kind !== 'sqlite') return null;
  const isAbout = [path ?? config.path, dest].some((each) => each?.startsWith(config.path));
  const { message, cause } = databaseFailure(config, error);
  return isAbout ? new DatabaseUnusable(`${message} The call that failed: ${syscall}.`, { cause }) : null;
}
