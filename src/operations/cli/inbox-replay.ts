import type { Command } from 'commander';
import type { MessageDto } from '../../ingest/inbox/messages.dto.js';
import type { ReplayDto, ReplayReceipt } from '../../ingest/inbox/replays.dto.js';
import {
  aligned,
  type CommonOptions,
  instant,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from './command.js';
import { type Columns, fields, listCommand, lists } from './lists.js';
import { follow, type Progress } from './progress.js';

interface Filter {
  readonly status?: string;
  readonly reason?: string;
  readonly eventType?: string;
  readonly from?: string;
  readonly to?: string;
}

interface Options extends CommonOptions, Filter {
  readonly message?: string;
  readonly dryRun?: true;
}

export function addInboxReplay(inbox: Command, runner: Runner): void {
  const command = inbox
    .command('replay')
    .description('replay messages; they are processed like new deliveries')
    .option('--status <status>', 'messages with this status: received, done, retry, dead or ignored')
    .option('--reason <reason>', 'messages with this reason, as shown by `messages`')
    .option('--event-type <type>', 'messages of this event type')
    .option('--from <time>', 'received at or after this time', instant)
    .option('--to <time>', 'received before this time', instant)
    .option('--message <id>', 'only this message')
    .option('--dry-run', 'only count the messages');
  withCommonOptions(command).action((options: Options) => {
    const problem = problemOf(options);
    if (problem !== null) command.error(problem);
    const { message } = options;
    return runner.service(options, (session) =>
      message === undefined ? replayMany(session, options) : replayOne(session, message),
    );
  });
  listCommand(inbox.command('replays').description('replays, newest first')).action(
    lists(runner, '/messages/replays', replayColumns),
  );
  const cancel = inbox.command('cancel-replay').description('cancel a replay').argument('<id>', 'id from the list');
  withCommonOptions(cancel).action((id: string, options: CommonOptions) =>
    runner.service(options, async ({ admin }) =>
      resultOf(await admin.post<ReplayDto>(`/messages/replays/${encodeURIComponent(id)}/cancel`)),
    ),
  );
}

function problemOf({ message, dryRun, status, reason, eventType, from, to }: Options): string | null {
  const filtered = [status, reason, eventType, from, to].some((value) => value !== undefined);
  if (message === undefined && !filtered) {
    return 'error: select messages with --message, --status, --reason, --event-type, --from or --to';
  }
  return message !== undefined && (filtered || dryRun) ? 'error: --message excludes other filters' : null;
}

async function replayOne(session: Session, id: string): Promise<Result> {
  const { admin } = session;
  const path = `/messages/${encodeURIComponent(id)}`;
  await admin.post<MessageDto>(`${path}/replay`);
  const { status, reason, attempts } = await follow(session, {
    poll: () => admin.get<MessageDto>(path),
    progress: (at) => ({ label: 'replay', share: null, counts: at.status, estimatedEnd: null }),
    ended: (at) => !isUntried(at),
  });
  return {
    good: status === 'done' || status === 'ignored',
    lines: aligned({ message: id, status, reason, attempts }),
    json: { message_id: id, status, reason, attempts },
  };
}

/** Waits until every selected message was tried once. Ctrl-C stops waiting, not the replay. */
async function replayMany(session: Session, { status, reason, eventType, from, to, dryRun }: Options): Promise<Result> {
  const { admin } = session;
  const filter = { status, reason, event_type: eventType, from, to };
  if (dryRun) {
    const receipt = await admin.post<ReplayReceipt>('/messages/replay', { ...filter, dry_run: true });
    return { good: true, lines: aligned({ ...receipt }), json: { dry_run: true, ...receipt } };
  }
  const { replay_id } = await admin.post<ReplayDto>('/messages/replay', filter);
  const end = await follow(session, {
    poll: () => admin.get<ReplayDto>(`/messages/replays/${replay_id}`),
    progress: progressOf,
    ended: ({ finished_at }) => finished_at !== null,
  });
  const result = resultOf(end);
  return { ...result, good: result.good && end.state === 'done' };
}

function progressOf({ state, count, left }: ReplayDto): Progress {
  const tried = count - left;
  const share = count === 0 ? 1 : tried / count;
  return { label: `replay ${state}`, share, counts: `${tried} of ${count} messages tried`, estimatedEnd: null };
}

function resultOf({ replay_id, state, count, without_body, replayed, ...outcomes }: ReplayDto): Result {
  const { applied, ignored, retrying, failed } = outcomes;
  const counts = { count, without_body, replayed, applied, ignored, retrying, failed };
  return {
    good: retrying + failed === 0,
    lines: aligned({ replay: `${replay_id} ${state}`, ...counts }),
    json: { replay_id, state, ...counts },
  };
}

const replayColumns: Columns<ReplayDto> = {
  id: (replay) => replay.replay_id,
  ...fields('state', 'count', 'applied', 'ignored', 'retrying', 'failed', 'left', 'created_at'),
};

/** A replay clears the reason of the last failure; the next failure sets one. */
function isUntried({ status, reason }: MessageDto): boolean {
  return status === 'retry' && reason === null;
}
