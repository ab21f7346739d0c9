import type { Command } from 'commander';
import { erasingAccounts, relinkedAccounts } from '../../accounts/accounts/account-sql.js';
import type { Manifest } from '../../storage/analytics/dataset-folder.js';
import { groupOf } from './api-commands.js';
import { type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { displayed } from './progress.js';
import { aligned } from './tables.js';
import { refuseEncrypted, usableDatabase } from './usable-database.js';
import { CliFailure, type CliWorld } from './world.js';

interface ExportOptions extends OutputOptions {
  readonly out: string;
  readonly after?: string;
  readonly accountIds?: true;
  readonly unencrypted?: true;
}

export function addDataset(cli: Command, runner: Runner): void {
  const command = groupOf(cli, 'dataset', 'the views of analysts as Parquet files')
    .command('export')
    .description('write a dataset, or bring one up to date by the change feed, even while the service runs')
    .requiredOption('--out <folder>', 'new folder, or one with a dataset')
    .option('--after <position>', 'read changes again from this position, not after that of the manifest')
    .option('--account-ids', 'also the ids of the customer')
    .option('--unencrypted', 'write the files unencrypted although DATABASE_KEY is set');
  withOutputOptions(command).action((options: ExportOptions) =>
    runner.alone(options, (world) => inWords(() => exportTo(world, options))),
  );
}

async function exportTo(world: CliWorld, { out, after, accountIds, unencrypted }: ExportOptions): Promise<Result> {
  const config = await usableDatabase(world, 'dataset_refused');
  refuseEncrypted(config, unencrypted);
  const { exportDataset } = await import('../../storage/analytics/export-dataset.js');
  const views = (await world.views()).filter(({ namesPeople }) => accountIds === true || !namesPeople);
  return displayed(world, async (display, signal) => {
    const manifest = await exportDataset({
      ...{ config, folder: out, views, after, now: world.clock.now(), signal },
      entities: [...(await world.entities())],
      daily: await world.daily(),
      people: { erasing: erasingAccounts, relinked: relinkedAccounts },
      onProgress: (file, rows) =>
        display.show({ label: 'export', share: null, counts: `${rows} rows, ${file}`, estimatedEnd: null }),
    });
    return { good: true, ...shownOf(manifest) };
  });
}

function shownOf({ position, run, files }: Manifest): Pick<Result, 'lines' | 'json'> {
  const shown = {
    position,
    rebuilt: run.whole ?? 'only what changed',
    files: files.length,
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    written: run.written.length,
    deleted: run.deleted.length,
  };
  return { lines: aligned(shown), json: { state: 'exported', ...shown, rebuilt: run.whole } };
}

async function inWords(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const [{ DatasetRefused }, { DatabaseUnusable }] = await Promise.all([
      import('../../storage/analytics/dataset-folder.js'),
      import('../../storage/schema/opening.js'),
    ]);
    const known = [DatasetRefused, DatabaseUnusable].some((refusal) => error instanceof refusal);
    throw known ? new CliFailure((error as Error).message, 'dataset_refused') : error;
  }
}
