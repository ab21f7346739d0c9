import type { TaskDto } from '../../ingest/pulls/sync.dto.js';
import { MAX_POLLS_TOGETHER } from '../alarms/tuning.js';
import type { Session } from './command.js';
import { estimatedEnd, follow } from './progress.js';
import { CliFailure } from './world.js';

type FailedTask = Pick<TaskDto, 'id' | 'account_id' | 'resource' | 'last_error'>;

/** Outcomes of the requested pulls so far. */
export interface TaskTally {
  readonly pulls: number;
  done: number;
  failed: number;
  /** Deleted with their account. */
  gone: number;
  pages: number;
  records: number;
  written: number;
  rejected: number;
  /** The first MAX_LISTED_FAILURES failed pulls. */
  readonly failures: FailedTask[];
  /** Reason and time of the next retry among the polled pulls; null if none is waiting for a retry. */
  waiting: Waiting | null;
}

interface Waiting {
  readonly last_error: string;
  readonly due_at: string;
}

const MAX_LISTED_FAILURES = 100;

/** Waits until the pulls with these ids have ended. */
export async function followTasks(session: Session, ids: readonly number[]): Promise<TaskTally> {
  const { clock } = session;
  const tally: TaskTally = { pulls: ids.length, ...nothing(), failures: [], waiting: null };
  const startedAt = clock.now();
  let open = ids;
  const shareDone = (): number => (ids.length === 0 ? 1 : 1 - open.length / ids.length);
  await follow(session, {
    poll: async () => {
      let rest: number;
      // A failed request repeats its batch, but not the batches before it, which are already counted.
      do {
        rest = Math.max(0, open.length - MAX_POLLS_TOGETHER);
        open = await pollBatch(session, open, tally);
      } while (open.length === rest && rest > 0 && !session.signal.aborted);
      return open.length;
    },
    progress: (left) => ({
      label: 'pulls',
      share: shareDone(),
      counts: `${ids.length - left} of ${ids.length} ended, ${tally.failed} failed, ${tally.records} records${reasonOf(tally)}`,
      estimatedEnd: estimatedEnd(shareDone(), startedAt, clock.now()),
    }),
    ended: (left) => left === 0,
  });
  return tally;
}

const nothing = () => ({ done: 0, failed: 0, gone: 0, pages: 0, records: 0, written: 0, rejected: 0 });

/** Polls the first ids. Returns the ids that are still open, those just polled last. */
async function pollBatch(session: Session, ids: readonly number[], tally: TaskTally): Promise<readonly number[]> {
  const [polled, rest] = [ids.slice(0, MAX_POLLS_TOGETHER), ids.slice(MAX_POLLS_TOGETHER)];
  const tasks = await Promise.all(polled.map(async (id) => ({ id, task: await find(session, id) })));
  const open = tasks.filter(({ task }) => task?.status === 'pending' || task?.status === 'running');
  for (const { task } of tasks) count(task, tally);
  tally.waiting = soonest(open.flatMap(({ task }) => (task ? [task] : [])));
  return [...rest, ...open.map(({ id }) => id)];
}

function soonest(open: readonly TaskDto[]): Waiting | null {
  const waiting = open.flatMap(({ last_error, due_at }) => (last_error && due_at ? [{ last_error, due_at }] : []));
  return waiting.sort((a, b) => a.due_at.localeCompare(b.due_at))[0] ?? null;
}

function reasonOf({ waiting }: TaskTally): string {
  return waiting === null ? '' : `, deferred after ${waiting.last_error} until ${waiting.due_at}`;
}

async function find({ admin }: Session, id: number): Promise<TaskDto | null> {
  try {
    return await admin.get<TaskDto>(`/sync/tasks/${id}`);
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'not_found') return null;
    throw error;
  }
}

function count(task: TaskDto | null, tally: TaskTally): void {
  if (!task) {
    tally.gone += 1;
    return;
  }
  if (task.status !== 'done' && task.status !== 'failed') return;
  tally[task.status] += 1;
  tally.pages += task.pages;
  tally.records += task.records;
  tally.written += task.written;
  tally.rejected += task.rejected;
  const { id, account_id, resource, last_error } = task;
  if (task.status === 'failed' && tally.failures.length < MAX_LISTED_FAILURES) {
    tally.failures.push({ id, account_id, resource, last_error });
  }
}
