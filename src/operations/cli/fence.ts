import type { Command } from 'commander';
import type { FenceDto } from '../../privacy/erasure/erasures.dto.js';
import { type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { aligned } from './tables.js';

interface FenceOptions extends CommonOptions {
  readonly open?: true;
  readonly yes?: true;
}

/** Two calls: the fence of an account id has the id of its erasure, by which it is lifted. */
export function addFence(cli: Command, runner: Runner): void {
  const command = cli
    .command('fence')
    .description('show whether an account id is fenced after an erasure; --open --yes lifts the fence')
    .argument('<account_id>')
    .option('--open', 'lift the fence: the id may be used for a new account')
    .option('--yes', 'required with --open: a token that is still valid can recreate the person');
  withCommonOptions(command).action((account: string, options: FenceOptions) => {
    if (options.open && !options.yes)
      command.error('error: lifting a fence lets the id be used again; confirm with --yes');
    return runner.service(options, (session) => fence(session, account, options.open === true));
  });
}

async function fence({ admin }: Session, account: string, opens: boolean): Promise<Result> {
  const { erasure_id, fenced_at } = await admin.get<FenceDto>(`/erasure-fences/${encodeURIComponent(account)}`);
  if (opens) await admin.call('DELETE', `/erasures/${erasure_id}/fence`);
  const shown = { erasure_id, state: opens ? 'opened' : 'holds', fenced_at };
  return { good: true, lines: aligned(shown), json: shown };
}
