import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { PostgresConfig } from '../../platform/config/config.js';
import { databaseKey } from '../../platform/config/parsers.js';
import type { Secret } from '../../platform/config/secret.js';
import { version } from '../../platform/config/versions.js';
import { erasuresBefore, erasuresToRepeat } from '../../privacy/erasure/erasures-to-repeat.js';
import { changeDatabaseKey } from '../../storage/backup/change-database-key.js';
import { makeBackup } from '../../storage/backup/make-backup.js';
import { BackupError, type Manifest } from '../../storage/backup/manifest.js';
import type * as PostgresBackup from '../../storage/backup/postgres-backup.js';
import { type Restored, restoreBackup, verifyBackup } from '../../storage/backup/restore-backup.js';
import { EncryptionUnavailable } from '../../storage/database/sqlite-driver.js';
import { keyFault } from '../../storage/schema/database-key.js';
import { DatabaseInUse } from '../../storage/schema/database-lock.js';
import { aligned, type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { displayOf } from './progress.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

interface BackupOptions extends OutputOptions {
  readonly out: string;
}

interface RestoreOptions extends OutputOptions {
  readonly verify?: true;
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
    .description('copy the database of this environment, also while the service runs, and verify the copy')
    .requiredOption('--out <path>', 'new file; its manifest is written to PATH.json');
  withOutputOptions(command).action((options: BackupOptions) =>
    runner.alone(options, (world) => inWords(() => backup(world, options.out))),
  );
}

export function addRestore(cli: Command, runner: Runner): void {
  const command = cli
    .command('restore')
    .description('replace the database of this environment with a backup; stop the service first')
    .argument('<path>', 'file made by `backup`')
    .option('--verify', 'only verify the backup and show its content');
  withOutputOptions(command).action((path: string, options: RestoreOptions) =>
    runner.alone(options, (world) => inWords(() => (options.verify ? verify(world, path) : restore(world, path)))),
  );
}

export function addChangeDatabaseKey(cli: Command, runner: Runner): void {
  const command = cli
    .command('change-database-key')
    .description('encrypt the SQLite file with DATABASE_KEY, or decrypt it if that is unset; stop the service first')
    .option('--old-key-file <path>', 'file with its current key');
  withOutputOptions(command).action((options: KeyOptions) =>
    runner.alone(options, (world) => inWords(() => changeKey(world, options))),
  );
}

async function backup(world: CliWorld, target: string): Promise<Result> {
  const { config } = world.database();
  const fault = config.kind === 'sqlite' ? keyFault(config) : null;
  if (fault !== null) throw new BackupError([fault]);
  const display = displayOf(world);
  const interrupt = new AbortController();
  const release = world.onInterrupt(() => interrupt.abort());
  const onProgress = (share: number): void =>
    display.show({ label: 'backup', share, counts: 'copied', estimatedEnd: null });
  try {
    const options = { target, now: world.clock.now(), version, signal: interrupt.signal };
    const made =
      config.kind === 'sqlite'
        ? await makeBackup({ ...options, source: config, onProgress })
        : await onPostgres(world).then(({ makePostgresBackup, entities }) =>
            makePostgresBackup({ ...options, config, entities }),
          );
    return resultOf('made and checked', made, {});
  } finally {
    display.end();
    release();
  }
}

async function verify(world: CliWorld, path: string): Promise<Result> {
  const { config, stamp } = world.database();
  const { manifest, pending } =
    config.kind === 'sqlite'
      ? await verifyBackup({ path, key: config.key }, stamp)
      : await onPostgres(world).then((room) => room.verifyPostgresBackup(path, stamp, room.entities));
  return resultOf('good', manifest, { migrations_to_run: [...pending] });
}

async function restore(world: CliWorld, path: string): Promise<Result> {
  const { config, stamp } = world.database();
  const options = { backup: path, stamp, now: world.clock.now() };
  const restored =
    config.kind === 'sqlite'
      ? await restoreBackup({ ...options, target: config, erasuresToRepeat })
      : await restoreOnPostgres(world, config, options);
  const { manifest, pending, kept, erasures } = restored;
  const result = resultOf('restored', manifest, {
    migrations_to_run: [...pending],
    kept,
    erasures_to_repeat: erasures,
  });
  const old = config.kind === 'postgres' ? 'replaced' : (kept ?? 'none');
  return { ...result, lines: [...result.lines, `old database  ${old}`, ...aboutErasures(restored)] };
}

async function restoreOnPostgres(
  world: CliWorld,
  config: PostgresConfig,
  options: Omit<PostgresBackup.PostgresRestoreOptions, 'config' | 'entities' | 'rooms'>,
): Promise<Restored> {
  const [{ restorePostgres, entities }, { running }] = await Promise.all([
    onPostgres(world),
    import('../alarms/alarms.service.js'),
  ]);
  const rooms = { running, erasures: erasuresBefore };
  return restorePostgres({ ...options, config, entities, rooms });
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

function aboutErasures({ erasures, kept }: Restored): string[] {
  if (erasures === null) {
    return ['The old database cannot be read: find the erasures made after the backup, and repeat them.'];
  }
  if (erasures.length === 0) return [];
  return [
    `${erasures.length} people were erased after this backup and are restored by it. Before the service starts, run for each:`,
    ...erasures.map(({ account_id, erasure_id }) => `  cli erase '${account_id}' --yes    (was ${erasure_id})`),
    ...(kept === null
      ? []
      : [`The old database still has the data from after the backup: remove ${kept} when it is no longer needed.`]),
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

async function inWords(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new CliFailure(`${error.message} Stop it first.`, 'database_in_use');
    if (error instanceof BackupError || error instanceof EncryptionUnavailable) {
      throw new CliFailure(error.message, 'backup_refused');
    }
    throw error;
  }
}
