import type { Command } from 'commander';
import type { HeldDeletionDto } from '../../health/gone/held-deletions.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { type Columns, fields, listCommand, lists } from './lists.js';

interface DecisionOptions extends CommonOptions {
  readonly reason: string;
}

/** Held deletions, which an operator decides. */
export function addDeletions(cli: Command, runner: Runner): void {
  listCommand(cli.command('list').description('held deletions, newest first'))
    .option('--state <state>', 'open, released or rejected')
    .option('--account <id>', 'of this account')
    .option('--provider <slug>', 'of this provider')
    .option('--resource <name>', 'of this resource')
    .action(lists(runner, '/deletions', holdColumns));
  for (const [act, description] of acts) {
    const command = cli
      .command(act)
      .description(description)
      .argument('<id>', 'id from the list')
      .requiredOption('--reason <text>', 'stored with the decision; must not name a person');
    withCommonOptions(command).action((id: string, options: DecisionOptions) => {
      return runner.service(options, (session) => decide(session, act, id, options.reason));
    });
  }
}

const acts = [
  ['release', 'release held deletions: the next complete pull without the records hides them'],
  ['reject', 'reject held deletions: the records stay visible'],
] as const;

/** Shows who decided and why, because another operator may have decided first. */
async function decide({ admin }: Session, act: string, id: string, reason: string): Promise<Result> {
  const hold = await admin.post<HeldDeletionDto>(`/deletions/${encodeURIComponent(id)}/${act}`, { reason });
  const { account_id: account, provider, resource, state, missing, decided_at, decided_by, reason: why } = hold;
  const shown = { account, provider, resource, state, missing, decided_at, decided_by, reason: why };
  return { good: true, lines: aligned(shown), json: { ...hold } };
}

const holdColumns: Columns<HeldDeletionDto> = {
  ...fields('id', 'state', 'account_id', 'provider', 'resource', 'missing', 'shown', 'looked_at'),
};
