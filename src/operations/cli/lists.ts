import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MessageDto } from '../../ingest/inbox/messages.dto.js';
import type { TaskDto } from '../../ingest/pulls/sync.dto.js';
import type { SourceDto } from '../../ingest/sources/sources.dto.js';
import { type CsvCell, csvLine } from '../../platform/platform/csv.js';
import type { TimelineEntryDto } from '../accounts/timeline.dto.js';
import type { Query } from './admin-client.js';
import { type CommonOptions, instant, type Result, type Runner, type Session, withCommonOptions } from './command.js';

export interface TableOptions extends CommonOptions {
  readonly csv?: true;
}

export interface ListOptions extends TableOptions {
  readonly limit: number;
}

/** The columns of a list for people and as CSV, in order. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/** Columns that show fields under their own names. */
export function fields<const Name extends string>(...names: Name[]): Columns<Readonly<Record<Name, CsvCell>>> {
  return Object.fromEntries(names.map((name) => [name, (row: Readonly<Record<Name, CsvCell>>) => row[name]]));
}

const DEFAULT_LIMIT = 50;

export function addLists(cli: Command, runner: Runner): void {
  listCommand(cli.command('timeline').description('timeline of an account, newest first'))
    .argument('<account_id>')
    .option('--kind <kinds>', 'only these kinds, comma-separated')
    .option('--start <time>', 'at or after this time', instant)
    .option('--end <time>', 'before this time', instant)
    .action((account: string, options: ListOptions) =>
      runner.service(options, (session) =>
        listed(session, `/accounts/${encodeURIComponent(account)}/timeline`, options, entryColumns),
      ),
    );
  listCommand(cli.command('messages').description('messages delivered by upstream, newest first'))
    .option('--status <status>', 'received, done, retry, dead or ignored')
    .option('--reason <reason>', 'with this reason')
    .option('--event-type <type>', 'of this event type')
    .option('--account <id>', 'of this account')
    .option('--from <time>', 'received at or after this time', instant)
    .option('--to <time>', 'received before this time', instant)
    .action(lists(runner, '/messages', messageColumns));
  listCommand(cli.command('tasks').description('pull tasks, newest first'))
    .option('--status <status>', 'pending, running, done or failed')
    .option('--account <id>', 'of this account')
    .action(lists(runner, '/sync/tasks', taskColumns));
}

export function addSources(cli: Command, runner: Runner): void {
  listCommand(cli.command('sources').description('sources that are not disconnected, of all accounts'))
    .option('--retired', 'only of retired providers, to be replaced by a successor')
    .option('--provider <slug>', 'of this provider')
    .action(lists(runner, '/sources', sourceColumns));
}

/** A command whose result is a table. */
export function tableCommand(command: Command, csv = 'print CSV with column names'): Command {
  return withCommonOptions(command).addOption(new Option('--csv', csv).conflicts('json'));
}

/** A command that lists rows over several pages. */
export function listCommand(command: Command, csv?: string): Command {
  return tableCommand(command, csv).option('--limit <number>', 'maximum number of rows', wholeNumber, DEFAULT_LIMIT);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return Number(text);
}

const noFilters = new Set(['url', 'keyFile', 'insecureHttp', 'accessReason', 'verbose', 'json', 'csv', 'limit']);

/** Filters whose names differ from their options. */
const filterNames: Readonly<Record<string, string>> = {
  account: 'account_id',
  transaction: 'order_transaction_id',
  untold: 'told',
};

/** The options of a command that are filters of the admin API. */
export function filtersOf(options: TableOptions): Query {
  const given = Object.entries(options).filter(([name]) => !noFilters.has(name));
  const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(given.map(([name, value]) => [filterNames[name] ?? snake(name), String(value)]));
}

/** The action of a command that lists the rows at a path, filtered by its options. */
export function lists<Row>(
  runner: Runner,
  path: string,
  columns: Columns<Row>,
): (options: ListOptions) => Promise<void> {
  return (options) => runner.service(options, (session) => listed(session, path, options, columns));
}

/** Fetches up to `limit` rows over several pages, filtered by the options of the command and by `filters`. */
export async function listed<Row>(
  { admin }: Session,
  path: string,
  options: ListOptions,
  columns: Columns<Row>,
  filters: Query = {},
): Promise<Result> {
  const { limit } = options;
  const query = { ...filtersOf(options), ...filters };
  const rows: Row[] = [];
  let more = false;
  for await (const page of admin.pages<Row>(path, { ...query, limit: String(Math.min(limit + 1, 500)) })) {
    rows.push(...page);
    more = rows.length > limit;
    if (more) break;
  }
  const data = rows.slice(0, limit);
  const table = tabled(data, options, columns);
  return { ...table, json: { data, more }, ...(more ? { note: `More than ${limit} rows: raise --limit.` } : {}) };
}

/** Rows as lines with tabs between the cells, or as CSV. */
export function tabled<Row>(rows: readonly Row[], { csv }: TableOptions, columns: Columns<Row>): Result {
  const cells = rows.map((row) => Object.values(columns).map((valueOf) => valueOf(row)));
  const lines = csv
    ? [Object.keys(columns), ...cells].map((line) => `${csvLine(line)}\r`)
    : cells.map((line) => line.map((cell) => cell ?? '-').join('\t'));
  return { good: true, lines, json: { data: rows } };
}

const sourceColumns: Columns<SourceDto> = {
  ...fields('account_id', 'provider', 'status', 'connected_at'),
  successor: ({ retirement }) => retirement?.successor ?? null,
  successor_status: ({ retirement }) => retirement?.successor_status ?? null,
  ready_to_disconnect: ({ retirement }) => retirement && String(retirement.ready_to_disconnect),
};

const entryColumns: Columns<TimelineEntryDto> = {
  ...fields('at', 'kind', 'title'),
  ref: ({ ref }) => `${ref.type}:${ref.id}`,
};

const messageColumns: Columns<MessageDto> = {
  ...fields('received_at', 'message_id', 'status', 'reason', 'event_type', 'account_id', 'attempts'),
};

const taskColumns: Columns<TaskDto> = {
  ...fields('id', 'status', 'account_id', 'provider', 'resource', 'start', 'end', 'records', 'last_error', 'due_at'),
};
