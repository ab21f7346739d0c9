import type { Command } from 'commander';
import type { ErasureDto, FenceDto } from '../../privacy/erasure/erasures.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { follow, type Progress } from './progress.js';

interface Options extends CommonOptions {
  readonly yes?: true;
  /** False with `--no-wait`. */
  readonly wait: boolean;
}

/** `waiting`: everything is deleted; a check a week later verifies that nothing reappeared. */
const shares: Readonly<Record<ErasureDto['state'], number>> = {
  requested: 0,
  deleting: 0.25,
  upstream: 0.75,
  waiting: 1,
  done: 1,
};
const isGone = ({ state }: ErasureDto): boolean => shares[state] === 1;

export function addErase(cli: Command, runner: Runner): void {
  const command = cli
    .command('erase')
    .description('permanently erase a person here and upstream')
    .argument('<account_id>')
    .option('--yes', 'required: this cannot be undone')
    .option('--no-wait', 'request the erasure and print the receipt without waiting');
  withCommonOptions(command).action((account: string, options: Options) => {
    if (!options.yes) command.error('error: an erasure cannot be undone; confirm with --yes');
    return runner.service(options, (session) => erase(session, account, options.wait));
  });
}

interface FenceOptions extends CommonOptions {
  readonly open?: true;
  readonly yes?: true;
}

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
  if (opens) await admin.delete<ErasureDto>(`/erasures/${erasure_id}/fence`);
  const state = opens ? 'opened' : 'holds';
  return {
    good: true,
    lines: aligned({ receipt: erasure_id, state, fenced_at }),
    json: { erasure_id, state, fenced_at },
  };
}

async function erase(session: Session, account: string, waits: boolean): Promise<Result> {
  const { admin } = session;
  const receipt = await admin.delete<ErasureDto>(`/accounts/${encodeURIComponent(account)}`);
  if (!waits) return resultOf(receipt, true);
  const poll = (): Promise<ErasureDto> => admin.get<ErasureDto>(`/erasures/${receipt.erasure_id}`);
  const end = await follow(session, { poll, progress: progressOf, ended: isGone });
  return resultOf(end, isGone(end));
}

function progressOf({ state, deleted, error_code }: ErasureDto): Progress {
  const problem = error_code === null ? '' : `, last failure ${error_code}`;
  const counts = `${rowsOf(deleted)} rows deleted${problem}`;
  return { label: `erasure ${state}`, share: shares[state], counts, estimatedEnd: null };
}

function resultOf({ erasure_id, state, deleted, error_code }: ErasureDto, good: boolean): Result {
  const rows_deleted = rowsOf(deleted);
  return {
    good,
    lines: aligned({ receipt: erasure_id, state, rows_deleted, last_failure: error_code }),
    json: { erasure_id, state, deleted, error_code },
  };
}

function rowsOf(deleted: ErasureDto['deleted']): number {
  return Object.values(deleted).reduce((sum, rows) => sum + rows, 0);
}
