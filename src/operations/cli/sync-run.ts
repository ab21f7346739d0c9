import type { Command } from 'commander';
import type { SyncReceipt } from '../../ingest/pulls/sync.dto.js';
import type { AccountDto } from '../accounts/accounts.dto.js';
import { MAX_REQUESTS_TOGETHER } from '../alarms/tuning.js';
import {
  type CommonOptions,
  collected,
  instant,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from './command.js';
import { aligned } from './tables.js';
import { followTasks, type TaskTally } from './task-tally.js';
import { CliFailure, Interrupted } from './world.js';

interface Options extends CommonOptions {
  readonly account?: string;
  readonly resource?: readonly string[];
  readonly start?: string;
  readonly end?: string;
}

interface SyncRequest {
  readonly resources?: readonly string[];
  readonly start?: string;
  readonly end?: string;
}

interface Asked {
  accounts: number;
  /** Accounts that were erased or blocked after they were listed. */
  skipped: number;
  readonly taskIds: Set<number>;
}

export function addSyncRun(sync: Command, runner: Runner): void {
  const command = sync
    .command('run')
    .description('pull data again for one account or all active accounts, and wait for the pulls')
    .option('--account <id>', 'only this account')
    .option('--resource <name>', 'only this resource (repeatable)', collected)
    .option('--start <time>', 'start of the window (default: SYNC_BACKFILL_DAYS before --end)', instant)
    .option('--end <time>', 'end of the window (default: now)', instant);
  withCommonOptions(command).action((options: Options) => runner.service(options, (session) => run(session, options)));
}

async function run(session: Session, { account, resource, start, end }: Options): Promise<Result> {
  const request: SyncRequest = {
    ...(resource ? { resources: resource } : {}),
    ...(start ? { start } : {}),
    ...(end ? { end } : {}),
  };
  const asked: Asked = { accounts: 0, skipped: 0, taskIds: new Set() };
  if (account === undefined) await askForAll(session, request, asked);
  else await askFor(session, account, request, asked);
  return resultOf(asked, await followTasks(session, [...asked.taskIds]));
}

async function askFor({ admin }: Session, account: string, request: SyncRequest, asked: Asked): Promise<void> {
  const { task_ids } = await admin.post<SyncReceipt>(`/accounts/${encodeURIComponent(account)}/sync`, request);
  asked.accounts += 1;
  for (const id of task_ids) asked.taskIds.add(id);
}

async function askForAll(session: Session, request: SyncRequest, asked: Asked): Promise<void> {
  for await (const page of session.admin.pages<AccountDto>('/accounts', { status: 'active' })) {
    for (let at = 0; at < page.length; at += MAX_REQUESTS_TOGETHER) {
      if (session.signal.aborted) throw new Interrupted();
      const slice = page.slice(at, at + MAX_REQUESTS_TOGETHER);
      await Promise.all(slice.map(({ account_id }) => askForListed(session, account_id, request, asked)));
    }
    const counts = `${asked.accounts} accounts, ${asked.taskIds.size} pulls`;
    session.display.show({ label: 'requested', share: null, counts, estimatedEnd: null });
  }
}

async function askForListed(session: Session, account: string, request: SyncRequest, asked: Asked): Promise<void> {
  try {
    await askFor(session, account, request, asked);
  } catch (error) {
    const isGone =
      error instanceof CliFailure && ['not_found', 'account_blocked', 'account_erased'].includes(error.code);
    if (!isGone) throw error;
    asked.skipped += 1;
  }
}

function resultOf({ accounts, skipped }: Asked, tally: TaskTally): Result {
  const { pulls, done, failed, gone, pages, records, written, rejected, failures } = tally;
  const counts = { accounts, skipped, pulls, done, failed, gone, pages, records, written, rejected };
  const lines = failures.map(
    (task) => `failed pull ${task.id}\t${task.account_id}\t${task.resource}\t${task.last_error}`,
  );
  return { good: failed === 0, lines: [...aligned(counts), ...lines], json: { ...counts, failures } };
}
