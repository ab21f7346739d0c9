import type { Command } from 'commander';
import { makeBackup } from '../backup/make-backup.js';
import { BackupError, type Manifest } from '../backup/manifest.js';
import { type Restored, restoreBackup, verifyBackup } from '../backup/restore-backup.js';
import { aligned, type OutputOptions, type Result, type Runner, withOutputOptions } from '../cli-session/command.js';
import { displayOf } from '../cli-session/progress.js';
import { CliFailure, type CliWorld } from '../cli-session/world.js';
import { version } from '../config/versions.js';
import { erasuresToRepeat } from '../erasure/erasures-to-repeat.js';
import type { DatabaseIdentity } from '../schema/database-identity.js';
import { DatabaseInUse } from '../schema/database-lock.js';

interface BackupOptions extends OutputOptions {
  readonly out: string;
}

interface RestoreOptions extends OutputOptions {
  readonly verify?: true;
}

export function addBackup(cli: Command, runner: Runner): void {
  const command = cli
    .command('backup')
    .description('copy the SQLite database of this environment, also while it is served, and check the copy')
    .requiredOption('--out <path>', 'new file; PATH.json beside it says what it holds');
  withOutputOptions(command).action((options: BackupOptions) =>
    runner.alone(options, (world) => inWords(() => backup(world, options.out))),
  );
}

export function addRestore(cli: Command, runner: Runner): void {
  const command = cli
    .command('restore')
    .description('put a backup in the place of the database of this environment, which nobody may serve meanwhile')
    .argument('<path>', 'a file that `backup` made')
    .option('--verify', 'only check it and say what it holds');
  withOutputOptions(command).action((path: string, options: RestoreOptions) =>
    runner.alone(options, (world) => inWords(() => (options.verify ? verify(world, path) : restore(world, path)))),
  );
}

async function backup(world: CliWorld, target: string): Promise<Result> {
  const { path: source } = sqliteOf(world, `pg_dump --format=custom --file=${target} "$DATABASE_URL"`);
  const display = displayOf(world);
  const interrupt = new AbortController();
  const release = world.onInterrupt(() => interrupt.abort());
  const onProgress = (share: number): void =>
    display.show({ label: 'backup', share, counts: 'copied', estimatedEnd: null });
  try {
    const options = { source, target, now: world.clock.now(), version, signal: interrupt.signal, onProgress };
    return resultOf('made and checked', await makeBackup(options), {});
  } finally {
    display.end();
    release();
  }
}

async function verify(world: CliWorld, path: string): Promise<Result> {
  const { stamp } = sqliteOf(world, `pg_restore --list ${path}`);
  const { manifest, pending } = await verifyBackup(path, stamp);
  return resultOf('good', manifest, { migrations_to_run: [...pending] });
}

async function restore(world: CliWorld, backupPath: string): Promise<Result> {
  const { path: target, stamp } = sqliteOf(
    world,
    `pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${backupPath}`,
  );
  const restored = await restoreBackup({ backup: backupPath, target, stamp, now: world.clock.now(), erasuresToRepeat });
  const { manifest, pending, kept, erasures } = restored;
  const result = resultOf('restored', manifest, {
    migrations_to_run: [...pending],
    kept,
    erasures_to_repeat: erasures,
  });
  return { ...result, lines: [...result.lines, `old database  ${kept ?? 'none'}`, ...aboutErasures(restored)] };
}

function aboutErasures({ erasures, kept }: Restored): string[] {
  if (erasures === null) {
    return ['The old database is damaged: look up which erasures were made after the backup, and make them again.'];
  }
  if (erasures.length === 0) return [];
  return [
    `${erasures.length} people were erased after this backup and are back. Before the service starts, for each:`,
    ...erasures.map(({ account_id, erasure_id }) => `  cli erase '${account_id}' --yes    (was ${erasure_id})`),
    `The old database still holds what came after the backup: remove ${kept ?? 'it'} when it is no longer needed.`,
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

function sqliteOf(world: CliWorld, instead: string): { path: string; stamp: DatabaseIdentity } {
  const { config, stamp } = world.database();
  if (config.kind === 'sqlite') return { path: config.path, stamp };
  throw new CliFailure(`On PostgreSQL this is the database's own job: ${instead}`, 'not_for_postgres');
}

async function inWords(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new CliFailure(`${error.message} Stop it first.`, 'database_in_use');
    if (error instanceof BackupError) throw new CliFailure(error.message, 'backup_refused');
    throw error;
  }
}
