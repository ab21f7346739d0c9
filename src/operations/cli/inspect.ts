import type { Command } from 'commander';
import type { AlarmDto, AlarmsDto } from '../alarms/alarms.dto.js';
import type { CoverageStreamDto } from '../explain/coverage.dto.js';
import type { ExplanationDto, ExplanationsDto } from '../explain/explain.dto.js';
import type { OverviewDto } from '../overview/overview.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, withCommonOptions } from './command.js';
import { type Columns, fields, filtersOf, type TableOptions, tableCommand, tabled } from './lists.js';

interface ExplainOptions extends TableOptions {
  readonly resource?: string;
}

export function addOverview(cli: Command, runner: Runner): void {
  const command = cli.command('overview').description('system overview with alarms');
  withCommonOptions(command).action((options: CommonOptions) =>
    runner.service(options, async ({ admin }) => shownOverview(await admin.get<OverviewDto>('/overview'))),
  );
}

/** Alarms do not change the exit code, because the command itself succeeded. */
function shownOverview(overview: OverviewDto): Result {
  const { accounts, connection_states, source_priorities: lists, inbox, sync, orders, alarms, versions } = overview;
  const lines = aligned({
    accounts: `${accounts.active} active, ${accounts.pending} pending, ${accounts.blocked} blocked`,
    sources: `${connection_states.connected} connected, ${connection_states.error} in error`,
    source_priorities: `${lists.set} set here, upstream read ${lists.upstream_read_at ?? 'never'}`,
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

export function addAlarms(cli: Command, runner: Runner): void {
  tableCommand(cli.command('alarms').description('raised alarms, most urgent first')).action((options: TableOptions) =>
    runner.service(options, async ({ admin }) =>
      tabled((await admin.get<AlarmsDto>('/alarms')).data, options, alarmColumns),
    ),
  );
}

const alarmColumns: Columns<AlarmDto> = {
  ...fields('code', 'since', 'count'),
  providers: ({ providers }) => (providers.length === 0 ? null : providers.join(' ')),
  ...fields('message', 'runbook'),
};

export function addExplain(cli: Command, runner: Runner): void {
  tableCommand(cli.command('explain').description('explain why a day of an account is missing or unusual'))
    .argument('<account_id>')
    .requiredOption('--day <date>', 'YYYY-MM-DD')
    .option('--resource <name>', 'only this resource, e.g. sleep, with its evidence (default: all)')
    .option('--provider <name>', 'only this provider')
    .action((id: string, options: ExplainOptions) => {
      const account = `/accounts/${encodeURIComponent(id)}`;
      return runner.service(options, async ({ admin }) => {
        if (options.resource === undefined) {
          const { data } = await admin.get<ExplanationsDto>(`${account}/explanations`, filtersOf(options));
          return tabled(data, options, explanationColumns);
        }
        const found = await admin.get<ExplanationDto>(`${account}/explain`, filtersOf(options));
        return options.csv ? tabled([found], options, explanationColumns) : shownExplanation(found);
      });
    });
}

const explanationColumns: Columns<ExplanationDto> = fields('resource', 'state', 'reason', 'conclusion');

function shownExplanation(found: ExplanationDto): Result {
  const evidence = found.evidence.map(({ decisive, at, provider, finding, ref }) =>
    [decisive ? '*' : ' ', at ?? '-', provider ?? '-', finding, ref ? `${ref.type}:${ref.id}` : '']
      .join('\t')
      .trimEnd(),
  );
  const lines = [found.conclusion, `state ${found.state}, reason ${found.reason}`, ...evidence];
  return { good: true, lines, json: { ...found } };
}

type CoverageRow = Pick<CoverageStreamDto, 'provider' | 'resource'> & CoverageStreamDto['runs'][number];

/** Prints one row for consecutive days with the same state; `--json` prints the streams as the service returns them. */
export function addCoverage(cli: Command, runner: Runner): void {
  tableCommand(cli.command('coverage').description('state of each source, resource and day of an account'))
    .argument('<account_id>')
    .option('--resource <name>', 'only this resource')
    .option('--provider <name>', 'only this provider')
    .option('--first-day <date>', 'first day, YYYY-MM-DD (default: 29 days before the last)')
    .option('--last-day <date>', 'last day, YYYY-MM-DD (default: today)')
    .action((account: string, options: TableOptions) => {
      const path = `/accounts/${encodeURIComponent(account)}/coverage`;
      return runner.service(options, async ({ admin }) => {
        const streams: CoverageStreamDto[] = [];
        for await (const page of admin.pages<CoverageStreamDto>(path, filtersOf(options))) {
          streams.push(...page);
        }
        const rows = streams.flatMap(({ runs, ...stream }) => runs.map((run) => ({ ...stream, ...run })));
        return { ...tabled(rows, options, coverageColumns), json: { data: streams } };
      });
    });
}

const coverageColumns: Columns<CoverageRow> = {
  ...fields('provider', 'resource', 'first_day', 'last_day', 'days', 'state', 'whole', 'reason', 'records'),
};
