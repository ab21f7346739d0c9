import { type Command, InvalidArgumentError } from 'commander';
import type { MessageDto } from '../../ingest/inbox/messages.dto.js';
import type { TaskDto } from '../../ingest/pulls/sync.dto.js';
import type { TimelineEntryDto } from '../timeline/timeline.dto.js';
import type { Query } from './admin-client.js';
import { type CommonOptions, instant, type Result, type Runner, type Session, withCommonOptions } from './command.js';

interface Options extends CommonOptions {
  readonly limit: number;
  readonly status?: string;
  readonly eventType?: string;
  readonly account?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
}

const DEFAULT_LIMIT = 50;

export function addLists(cli: Command, runner: Runner): void {
  listCommand(cli.command('timeline').description('events of an account, newest first'))
    .argument('<account_id>')
    .option('--kind <kinds>', 'only these kinds, comma-separated')
    .option('--from <time>', 'at or after this time', instant)
    .option('--to <time>', 'before this time', instant)
    .action((account: string, options: Options) => {
      const { kind, from, to } = options;
      const path = `/accounts/${encodeURIComponent(account)}/timeline`;
      return runner.service(options, (session) => listed(session, path, { kind, from, to }, options.limit, entryLine));
    });
  listCommand(cli.command('messages').description('messages delivered by upstream, newest first'))
    .option('--status <status>', 'received, done, retry, dead or ignored')
    .option('--event-type <type>', 'of this event type')
    .option('--account <id>', 'of this account')
    .option('--from <time>', 'received at or after this time', instant)
    .option('--to <time>', 'received before this time', instant)
    .action((options: Options) => {
      const { status, eventType: event_type, account: account_id, from, to } = options;
      const query = { status, event_type, account_id, from, to };
      return runner.service(options, (session) => listed(session, '/messages', query, options.limit, messageLine));
    });
  listCommand(cli.command('tasks').description('pending, running and ended pulls, newest first'))
    .option('--status <status>', 'pending, running, done or failed')
    .option('--account <id>', 'of this account')
    .action((options: Options) => {
      const { status, account: account_id } = options;
      return runner.service(options, (session) =>
        listed(session, '/sync/tasks', { status, account_id }, options.limit, taskLine),
      );
    });
}

export function listCommand(command: Command): Command {
  return withCommonOptions(command).option('--limit <number>', 'maximum number of rows', wholeNumber, DEFAULT_LIMIT);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return Number(text);
}

/** Fetches up to `limit` rows over several pages. */
export async function listed<T>(
  { admin }: Session,
  path: string,
  query: Query,
  limit: number,
  lineOf: (row: T) => (string | number | null)[],
): Promise<Result> {
  const rows: T[] = [];
  let more = false;
  for await (const page of admin.pages<T>(path, { ...query, limit: String(Math.min(limit + 1, 500)) })) {
    rows.push(...page);
    more = rows.length > limit;
    if (more) break;
  }
  const data = rows.slice(0, limit);
  const lines = data.map((row) =>
    lineOf(row)
      .map((cell) => cell ?? '-')
      .join('\t'),
  );
  return {
    good: true,
    lines: more ? [...lines, `More than ${limit} rows: raise --limit.`] : lines,
    json: { data, more },
  };
}

const entryLine = ({ at, kind, title, ref }: TimelineEntryDto): string[] => [at, kind, title, `${ref.type}:${ref.id}`];

const messageLine = (message: MessageDto): (string | number | null)[] => {
  const { received_at, message_id, status, reason, event_type, account_id, attempts } = message;
  return [received_at, message_id, status, reason, event_type, account_id, attempts];
};

const taskLine = (task: TaskDto): (string | number | null)[] => {
  const { id, status, account_id, provider, resource, start, end, records, last_error, due_at } = task;
  return [id, status, account_id, provider, resource, start, end, records, last_error, due_at];
};
