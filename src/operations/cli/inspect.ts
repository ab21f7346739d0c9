import type { Command } from 'commander';
import type { ExplanationDto } from '../explain/explain.dto.js';
import type { OverviewDto } from '../overview/overview.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, withCommonOptions } from './command.js';

interface ExplainOptions extends CommonOptions {
  readonly resource: string;
  readonly day: string;
  readonly provider?: string;
}

export function addOverview(cli: Command, runner: Runner): void {
  const command = cli.command('overview').description('system overview with alarms');
  withCommonOptions(command).action((options: CommonOptions) =>
    runner.service(options, async ({ admin }) => shownOverview(await admin.get<OverviewDto>('/overview'))),
  );
}

/** Alarms do not change the exit code: the command itself succeeded. */
function shownOverview(overview: OverviewDto): Result {
  const { accounts, connection_states, inbox, sync, orders, alarms, versions } = overview;
  const lines = aligned({
    accounts: `${accounts.active} active, ${accounts.pending} pending, ${accounts.blocked} blocked`,
    sources: `${connection_states.connected} connected, ${connection_states.error} in error`,
    inbox: `${inbox.depth} waiting, ${inbox.dead} dead, oldest ${inbox.oldest_age_seconds ?? 0} s`,
    last_delivery: inbox.last_delivery_at,
    pulls: `${sync.tasks.pending} pending, ${sync.tasks.running} running, ${sync.tasks.failed} failed`,
    pull_lag: `${sync.lag_seconds} s`,
    redraws: `${orders.needs_redraw} needed`,
    version: `${versions.pulsekeep} on ${versions.database}`,
    alarms: alarms.length === 0 ? 'none' : alarms.length,
  });
  const said = alarms.map(({ code, message, since }) => `alarm\t${code}\t${since ?? '-'}\t${message}`);
  return { good: true, lines: [...lines, ...said], json: { ...overview } };
}

export function addExplain(cli: Command, runner: Runner): void {
  const command = cli
    .command('explain')
    .description('explain why a day of a resource is missing or unusual, with evidence')
    .argument('<account_id>')
    .requiredOption('--resource <name>', 'resource of the catalogue, e.g. sleep')
    .requiredOption('--day <date>', 'YYYY-MM-DD')
    .option('--provider <name>', 'only this provider');
  withCommonOptions(command).action((account: string, options: ExplainOptions) => {
    const { resource, day, provider } = options;
    const path = `/accounts/${encodeURIComponent(account)}/explain`;
    return runner.service(options, async ({ admin }) =>
      shownExplanation(await admin.get<ExplanationDto>(path, { resource, day, provider })),
    );
  });
}

function shownExplanation(found: ExplanationDto): Result {
  const evidence = found.evidence.map(({ decisive, at, provider, finding, ref }) =>
    [decisive ? '*' : ' ', at ?? '-', provider ?? '-', finding, ref ? `${ref.type}:${ref.id}` : '']
      .join('\t')
      .trimEnd(),
  );
  const lines = [found.conclusion, `state ${found.state}, reason ${found.reason}`, ...evidence];
  return { good: true, lines, json: { ...found } };
}
