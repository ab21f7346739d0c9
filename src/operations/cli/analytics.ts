import { type Command, InvalidArgumentError } from 'commander';
import type { PostgresConfig } from '../../platform/config/database-config.js';
import type * as PostgresViews from '../../storage/analytics/postgres-views.js';
import type * as SqliteViews from '../../storage/analytics/sqlite-views.js';
import type * as StoreDays from '../../storage/analytics/store-days.js';
import type * as ViewGrants from '../../storage/analytics/view-grants.js';
import { groupOf } from './api-commands.js';
import { type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { displayed } from './progress.js';
import { aligned } from './tables.js';
import { refuseEncrypted, usableDatabase } from './usable-database.js';
import { CliFailure, type CliWorld, wrongUsage } from './world.js';

interface GrantOptions extends OutputOptions {
  readonly accountIds?: true;
  readonly statementSeconds: number;
}

interface CopyOptions extends OutputOptions {
  readonly out: string;
  readonly accountIds?: true;
  readonly unencrypted?: true;
}

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 86_400;

type ViewsRoom = typeof PostgresViews & typeof SqliteViews & typeof StoreDays & typeof ViewGrants;

/** Lazy, because it loads the database drivers. */
async function viewsRoom(): Promise<ViewsRoom> {
  const [made, copied, stored, granted] = await Promise.all([
    import('../../storage/analytics/postgres-views.js'),
    import('../../storage/analytics/sqlite-views.js'),
    import('../../storage/analytics/store-days.js'),
    import('../../storage/analytics/view-grants.js'),
  ]);
  return { ...made, ...copied, ...stored, ...granted };
}

export function addAnalytics(cli: Command, runner: Runner): void {
  const group = groupOf(cli, 'analytics', 'what analysts may read with SQL');
  const identities = 'also the view with the ids of the customer';
  const grant = group
    .command('grant')
    .description('PostgreSQL: let a role read the views, and nothing else; makes them if they are missing')
    .argument('<role>')
    .option('--account-ids', identities)
    .option('--statement-seconds <n>', 'limit of a statement', wholeSeconds, DEFAULT_SECONDS);
  withOutputOptions(grant).action((role: string, options: GrantOptions) =>
    runner.alone(options, (world) => inWords(() => grantTo(world, role, options))),
  );
  const revoke = group.command('revoke').description('PostgreSQL: take the views from a role').argument('<role>');
  withOutputOptions(revoke).action((role: string, options: OutputOptions) =>
    runner.alone(options, (world) => inWords(() => revokeFrom(world, role))),
  );
  const daily = group
    .command('daily')
    .description('PostgreSQL: bring the rows of the view daily up to date, even while the service runs');
  withOutputOptions(daily).action((options: OutputOptions) =>
    runner.alone(options, (world) => inWords(() => storeDaily(world))),
  );
  const copy = group
    .command('copy')
    .description('SQLite: write the same tables to a file of their own, even while the service runs')
    .requiredOption('--out <path>', 'new file, or an earlier copy, which it replaces')
    .option('--account-ids', identities)
    .option('--unencrypted', 'write the file unencrypted although DATABASE_KEY is set');
  withOutputOptions(copy).action((options: CopyOptions) =>
    runner.alone(options, (world) => inWords(() => copyTo(world, options))),
  );
}

async function grantTo(world: CliWorld, role: string, options: GrantOptions): Promise<Result> {
  const namesPeople = options.accountIds === true;
  const seconds = options.statementSeconds;
  const { grantViews } = await viewsRoom();
  const views = [...(await world.views()), ...(await world.daily()).stored.views];
  await onPostgres(world, (source) => grantViews(source, views, { role, namesPeople, seconds }));
  const readable = views.filter((view) => namesPeople || !view.namesPeople).length;
  const shown = { role, views: readable, statement_seconds: seconds };
  return {
    good: true,
    lines: [...aligned(shown), 'What the role reads is not in the access log of this service.'],
    json: { state: 'granted', ...shown },
  };
}

async function revokeFrom(world: CliWorld, role: string): Promise<Result> {
  const { revokeViews } = await viewsRoom();
  await onPostgres(world, (source) => revokeViews(source, role));
  return { good: true, lines: ['The role may no longer read the views.'], json: { state: 'revoked', role } };
}

async function copyTo(world: CliWorld, { out, accountIds, unencrypted }: CopyOptions): Promise<Result> {
  const config = await usableDatabase(world, 'analytics_refused');
  if (config.kind !== 'sqlite') {
    throw wrongUsage('analytics copy is for SQLite: on PostgreSQL use analytics grant.');
  }
  refuseEncrypted(config, unencrypted);
  const { copyViews } = await viewsRoom();
  const views = (await world.views()).filter(({ namesPeople }) => accountIds === true || !namesPeople);
  const done: string[] = [];
  return displayed(world, async (display, signal) => {
    const onProgress = (view: string, rows: number): void => {
      if (done.at(-1) !== view) done.push(view);
      const share = (done.length - 1) / (views.length + 1);
      display.show({ label: 'copy', share, counts: `${rows} rows, ${view}`, estimatedEnd: null });
    };
    const now = world.clock.now();
    const copied = { source: config, target: out, views, daily: await world.daily(), now };
    const rows = await copyViews({ ...copied, signal, onProgress });
    const at = new Date(now).toISOString();
    return {
      good: true,
      lines: [
        ...aligned(rows),
        'An erasure does not reach this file: copy again after one, and delete earlier copies.',
      ],
      json: { state: 'copied', made_at: at, rows },
    };
  });
}

async function storeDaily(world: CliWorld): Promise<Result> {
  const config = await usableDatabase(world, 'analytics_refused');
  if (config.kind !== 'postgres') throw wrongUsage('analytics daily is for PostgreSQL: analytics copy has the table.');
  const { storeDays } = await viewsRoom();
  return displayed(world, async (display, signal) => {
    const { whole, ...counts } = await storeDays({
      ...{ config, now: world.clock.now(), signal, daily: await world.daily() },
      entities: [...(await world.entities())],
      onProgress: (done, of) =>
        display.show({ label: 'daily', share: done / of, counts: `${done} of ${of} people`, estimatedEnd: null }),
    });
    const shown = { computed: whole ?? 'what may differ', ...counts };
    return { good: true, lines: aligned(shown), json: { state: 'stored', ...shown, computed: whole } };
  });
}

async function onPostgres(
  world: CliWorld,
  work: (source: Awaited<ReturnType<typeof openPostgresOf>>) => Promise<void>,
): Promise<void> {
  const config = await usableDatabase(world, 'analytics_refused');
  if (config.kind !== 'postgres') throw wrongUsage('SQLite has no roles: use analytics copy.');
  const source = await openPostgresOf(world, config);
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}

async function openPostgresOf(world: CliWorld, { url }: PostgresConfig) {
  const { openPostgres } = await import('../../storage/database/postgres.js');
  return openPostgres({ url: url.reveal(), entities: [...(await world.entities())], poolSize: 1, readOnly: false });
}

async function inWords(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { CopyRefused, ViewsRefused } = await viewsRoom();
    const { DatabaseUnusable } = await import('../../storage/schema/opening.js');
    const known = [ViewsRefused, CopyRefused, DatabaseUnusable].some((refusal) => error instanceof refusal);
    throw known ? new CliFailure((error as Error).message, 'analytics_refused') : error;
  }
}

function wholeSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > MAX_SECONDS) throw new InvalidArgumentError('It must be 1 to 86400.');
  return seconds;
}
