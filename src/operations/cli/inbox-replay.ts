import type { Command } from 'commander';
import type { MessageDto, ReplayReceipt } from '../../ingest/inbox/messages.dto.js';
import {
  aligned,
  type CommonOptions,
  instant,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from './command.js';
import { follow } from './progress.js';

interface Filter {
  readonly status?: string;
  readonly reason?: string;
  readonly eventType?: string;
  readonly from?: string;
  readonly to?: string;
}

interface Options extends CommonOptions, Filter {
  readonly message?: string;
}

const FAR_FROM_DONE = 500;

export function addInboxReplay(inbox: Command, runner: Runner): void {
  const command = inbox
    .command('replay')
    .description('process messages again in the same way as a delivery')
    .option('--status <status>', 'messages in this state: received, done, retry, dead or ignored')
    .option('--reason <reason>', 'messages with this reason, as shown by `messages`')
    .option('--event-type <type>', 'messages of this event type')
    .option('--from <time>', 'received at or after this time', instant)
    .option('--to <time>', 'received before this time', instant)
    .option('--message <id>', 'only this message');
  withCommonOptions(command).action((options: Options) => {
    const problem = problemOf(options);
    if (problem !== null) command.error(problem);
    const { message } = options;
    return runner.service(options, (session) =>
      message === undefined ? replayMany(session, options) : replayOne(session, message),
    );
  });
}

function problemOf({ message, status, reason, eventType, from, to }: Options): string | null {
  const filtered = [status, reason, eventType, from, to].some((value) => value !== undefined);
  if (message === undefined && !filtered) {
    return 'error: select messages with --message, --status, --reason, --event-type, --from or --to';
  }
  return message !== undefined && filtered ? 'error: --message excludes other filters' : null;
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

/**
 * Waits until every selected message was tried once. Messages that failed again are `retry` or `dead` and counted in
 * the overview.
 */
async function replayMany(session: Session, filter: Filter): Promise<Result> {
  const { admin } = session;
  const { status, reason, eventType: event_type, from, to } = filter;
  const receipt = await admin.post<ReplayReceipt>('/messages/replay', { status, reason, event_type, from, to });
  await follow(session, {
    poll: () => untried(session, { event_type, from, to }),
    progress: (left) => ({
      label: 'replay',
      share: receipt.count === 0 ? 1 : Math.max(0, 1 - left / receipt.count),
      counts: `${Math.max(0, receipt.count - left)} of ${receipt.count} messages tried`,
      estimatedEnd: null,
    }),
    ended: (left) => left === 0,
  });
  return { good: true, lines: aligned({ ...receipt }), json: { ...receipt } };
}

/** Replayed messages that wait for their first try; stops counting at FAR_FROM_DONE. */
async function untried({ admin }: Session, filter: Readonly<Record<string, string | undefined>>): Promise<number> {
  let left = 0;
  for await (const page of admin.pages<MessageDto>('/messages', { ...filter, status: 'retry' })) {
    left += page.filter(isUntried).length;
    if (left >= FAR_FROM_DONE) return left;
  }
  return left;
}

/** A replay clears the reason of the last failure; the next failure sets one. */
function isUntried({ status, reason }: MessageDto): boolean {
  return status === 'retry' && reason === null;
}
