import type { Command } from 'commander';
import type { HeldDeletionDto } from '../../health/health-data/held-deletions.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { type Columns, type ListOptions, listCommand, listed } from './lists.js';

interface HoldOptions extends ListOptions {
  readonly state?: string;
  readonly account?: string;
  readonly provider?: string;
  readonly resource?: string;
}

interface DecisionOptions extends CommonOptions {
  readonly reason: string;
}

/** Deletions that wait for an operator. */
export function addDeletions(cli: Command, runner: Runner): void {
  listCommand(cli.command('list').description('records that upstream no longer shows and that wait for a decision'))
    .option('--state <state>', 'open, released or rejected')
    .option('--account <id>', 'of this account')
    .option('--provider <slug>', 'of this provider')
    .option('--resource <name>', 'of this resource')
    .action((options: HoldOptions) => {
      const { state, account: account_id, provider, resource } = options;
      const query = { state, account_id, provider, resource };
      return runner.service(options, (session) => listed(session, '/deletions', query, options, holdColumns));
    });
  for (const [act, description] of acts) {
    const command = cli
      .command(act)
      .description(description)
      .argument('<id>', 'number of the list')
      .requiredOption('--reason <text>', 'stored with the decision; must not name a person');
    withCommonOptions(command).action((id: string, options: DecisionOptions) => {
      return runner.service(options, (session) => decide(session, act, id, options.reason));
    });
  }
}

const acts = [
  ['release', 'let the records follow upstream: the next complete pull that misses them hides them'],
  ['reject', 'let the records stay until upstream shows them again'],
] as const;

/** Shows who decided and why: it may have been somebody else before. */
async function decide({ admin }: Session, act: string, id: string, reason: string): Promise<Result> {
  const hold = await admin.post<HeldDeletionDto>(`/deletions/${encodeURIComponent(id)}/${act}`, { reason });
  const { account_id: account, provider, resource, state, missing, decided_at, decided_by, reason: why } = hold;
  const shown = { account, provider, resource, state, missing, decided_at, decided_by, reason: why };
  return { good: true, lines: aligned(shown), json: { ...hold } };
}

const holdColumns: Columns<HeldDeletionDto> = {
  id: (hold) => hold.id,
  state: (hold) => hold.state,
  account_id: (hold) => hold.account_id,
  provider: (hold) => hold.provider,
  resource: (hold) => hold.resource,
  missing: (hold) => hold.missing,
  shown: (hold) => hold.shown,
  looked_at: (hold) => hold.looked_at,
};
