import type { Command } from 'commander';
import type { SourcePrioritiesDto, SourcePriorityDto } from '../../health/priorities/source-priorities.dto.js';
import { type CommonOptions, type Result, type Runner, withCommonOptions } from './command.js';
import { type Columns, fields, type TableOptions, tableCommand, tabled } from './lists.js';

interface AccountOption {
  readonly account?: string;
}
type ChangeOptions = CommonOptions & AccountOption;

/** Source priorities: a list for each data type, for all accounts or for one. */
export function addPriorities(cli: Command, runner: Runner): void {
  const priorities = cli.command('priorities').description('source priorities by data type');
  tableCommand(priorities.command('list', { isDefault: true }).description('lists in effect, best source first'))
    .option('--account <id>', 'for this account (default: for accounts that do not override them)')
    .action((options: TableOptions & AccountOption) =>
      runner.service(options, async ({ admin }) => shown(await admin.get(pathOf(options)), options)),
    );
  const set = priorities
    .command('set')
    .description('replace the list of a data type')
    .argument('<data_type>', 'workouts, activity, sleep, body, timeseries, or the name of another summary')
    .argument('<sources...>', 'best first: a provider, or a provider and source type, e.g. oura/ring');
  withAccount(set).action((data_type: string, sources: string[], options: ChangeOptions) =>
    change(runner, options, { data_type, sources: sources.map(sourceOf) }),
  );
  const remove = priorities
    .command('remove')
    .description('remove the list of a data type, so that the next list applies')
    .argument('<data_type>');
  withAccount(remove).action((data_type: string, options: ChangeOptions) =>
    change(runner, options, { data_type, sources: null }),
  );
}

function withAccount(command: Command): Command {
  return withCommonOptions(command).option('--account <id>', 'only for this account');
}

function change(runner: Runner, options: ChangeOptions, body: object): Promise<void> {
  return runner.service(options, async ({ admin }) => shown(await admin.patch(pathOf(options), body), options));
}

function pathOf({ account }: AccountOption): string {
  return account === undefined ? '/source-priorities' : `/accounts/${encodeURIComponent(account)}/source-priorities`;
}

function sourceOf(text: string): object {
  const slash = text.indexOf('/');
  return slash < 0 ? { provider: text, type: null } : { provider: text.slice(0, slash), type: text.slice(slash + 1) };
}

function shown({ data }: SourcePrioritiesDto, options: TableOptions): Result {
  return tabled(data, options, columns);
}

const columns: Columns<SourcePriorityDto> = {
  ...fields('data_type', 'decided_by'),
  sources: ({ sources }) =>
    sources.length === 0
      ? null
      : sources.map(({ provider, type }) => (type ? `${provider}/${type}` : provider)).join(' '),
  ...fields('changed_at', 'changed_by', 'upstream_unreadable'),
};
