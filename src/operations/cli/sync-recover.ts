import type { Command } from 'commander';
import type { RecoveryDto, RecoveryForecastDto } from '../../ingest/recoveries/recoveries.dto.js';
import {
  aligned,
  type CommonOptions,
  collected,
  instant,
  type Result,
  type Runner,
  type Session,
  withCommonOptions,
} from './command.js';
import { follow, type Progress } from './progress.js';

interface Options extends CommonOptions {
  readonly from: string;
  readonly to: string;
  readonly resource?: readonly string[];
  readonly dryRun?: true;
}

export function addSyncRecover(sync: Command, runner: Runner): void {
  const command = sync
    .command('recover')
    .description('pull all accounts for the window of an outage, at the lowest priority')
    .requiredOption('--from <time>', 'start of the window', instant)
    .requiredOption('--to <time>', 'end of the window', instant)
    .option('--resource <name>', 'only this resource (repeatable)', collected)
    .option('--dry-run', 'only estimate the cost');
  withCommonOptions(command).action((options: Options) =>
    runner.service(options, (session) => recover(session, options)),
  );
}

async function recover(session: Session, { from, to, resource, dryRun }: Options): Promise<Result> {
  const { admin } = session;
  const request = { from, to, ...(resource ? { resources: resource } : {}) };
  if (dryRun) return forecast(await admin.post<RecoveryForecastDto>('/sync/recover', { ...request, dry_run: true }));
  const { recovery_id } = await admin.post<RecoveryDto>('/sync/recover', request);
  const end = await follow(session, {
    poll: () => admin.get<RecoveryDto>(`/sync/recoveries/${recovery_id}`),
    progress: progressOf,
    ended: ({ state }) => state === 'done',
  });
  return resultOf(end);
}

function forecast({ window, resources, ...counts }: RecoveryForecastDto): Result {
  return {
    good: true,
    lines: aligned({ from: window.from, to: window.to, resources: resources.join(', '), ...counts }),
    json: { dry_run: true, window, resources, ...counts },
  };
}

function progressOf(at: RecoveryDto): Progress {
  const counts = `${at.done} of ${at.planned} pulls, ${at.failed} failed, ${at.calls} calls`;
  return { label: `recovery ${at.state}`, share: at.share_done, counts, estimatedEnd: at.estimated_end };
}

function resultOf({ recovery_id, state, window, accounts, planned, joined, done, failed, calls }: RecoveryDto): Result {
  const counts = { accounts, planned, joined, done, failed, calls };
  return {
    good: failed === 0,
    lines: aligned({ recovery: `${recovery_id} ${state}`, from: window.from, to: window.to, ...counts }),
    json: { recovery_id, state, window, ...counts },
  };
}
