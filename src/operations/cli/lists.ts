import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MessageDto } from '../../ingest/inbox/messages.dto.js';
import type { TaskDto } from '../../ingest/pulls/sync.dto.js';
import type { SourceDto } from '../../ingest/sources/sources.dto.js';
import { type CsvCell, csvLine } from '../../platform/platform/csv.js';
import type { TimelineEntryDto } from '../timeline/timeline.dto.js';
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

interface Options extends ListOptions {
  readonly status?: string;
  readonly reason?: string;
  readonly eventType?: string;
  readonly account?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly start?: string;
  readonly end?: string;
}

const DEFAULT_LIMIT = 50;

export function addLists(cli: Command, runner: Runner): void {
  listCommand(cli.command('timeline').description('events of an account, newest first'))
    .argument('<account_id>')
    .option('--kind <kinds>', 'only these kinds, comma-separated')
    .option('--start <time>', 'at or after this time', instant)
    .option('--end <time>', 'before this time', instant)
    .action((account: string, options: Options) => {
      const { kind, start, end } = options;
      const path = `/accounts/${encodeURIComponent(account)}/timeline`;
      return runner.service(options, (session) => listed(session, path, { kind, start, end }, options, entryColumns));
    });
  listCommand(cli.command('messages').description('messages delivered by upstream, newest first'))
    .option('--status <status>', 'received, done, retry, dead or ignored')
    .option('--reason <reason>', 'with this reason')
    .option('--event-type <type>', 'of this event type')
    .option('--account <id>', 'of this account')
    .option('--from <time>', 'received at or after this time', instant)
    .option('--to <time>', 'received before this time', instant)
    .action((options: Options) => {
      const { status, reason, eventType: event_type, account: account_id, from, to } = options;
      const query = { status, reason, event_type, account_id, from, to };
      return runner.service(options, (session) => listed(session, '/messages', query, options, messageColumns));
    });
  listCommand(cli.command('tasks').description('pending, running and ended pulls, newest first'))
    .option('--status <status>', 'pending, running, done or failed')
    .option('--account <id>', 'of this account')
    .action((options: Options) => {
      const { status, account: account_id } = options;
      const query = { status, account_id };
      return runner.service(options, (session) => listed(session, '/sync/tasks', query, options, taskColumns));
    });
}

interface SourceOptions extends ListOptions {
  readonly retired?: true;
  readonly provider?: string;
}

export function addSources(cli: Command, runner: Runner): void {
  listCommand(cli.command('sources').description('sources of all accounts that are not disconnected'))
    .option('--retired', 'only of retired providers: the people who have to connect a successor')
    .option('--provider <slug>', 'of this provider')
    .action((options: SourceOptions) => {
      const query = { retired: options.retired && 'true', provider: options.provider };
      return runner.service(options, (session) => listed(session, '/sources', query, options, sourceColumns));
    });
}

/** A command whose result is a table. */
export function tableCommand(command: Command, csv = 'print CSV with the names of the columns'): Command {
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

/** Fetches up to `limit` rows over several pages. */
export async function listed<Row>(
  { admin }: Session,
  path: string,
  query: Query,
  options: ListOptions,
  columns: Columns<Row>,
): Promise<Result> {
  const { limit } = options;
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
  account_id: (source) => source.account_id,
  provider: (source) => source.provider,
  status: (source) => source.status,
  connected_at: (source) => source.connected_at,
  successor: ({ retirement }) => retirement?.successor ?? null,
  successor_status: ({ retirement }) => retirement?.successor_status ?? null,
  ready_to_disconnect: ({ retirement }) => retirement && String(retirement.ready_to_disconnect),
};

const entryColumns: Columns<TimelineEntryDto> = {
  at: ({ at }) => at,
  kind: ({ kind }) => kind,
  title: ({ title }) => title,
  ref: ({ ref }) => `${ref.type}:${ref.id}`,
};

const messageColumns: Columns<MessageDto> = {
  received_at: (message) => message.received_at,
  message_id: (message) => message.message_id,
  status: (message) => message.status,
  reason: (message) => message.reason,
  event_type: (message) => message.event_type,
  account_id: (message) => message.account_id,
  attempts: (message) => message.attempts,
};

const taskColumns: Columns<TaskDto> = {
  id: (task) => task.id,
  status: (task) => task.status,
  account_id: (task) => task.account_id,
  provider: (task) => task.provider,
  resource: (task) => task.resource,
  start: (task) => task.start,
  end: (task) => task.end,
  records: (task) => task.records,
  last_error: (task) => task.last_error,
  due_at: (task) => task.due_at,
};
