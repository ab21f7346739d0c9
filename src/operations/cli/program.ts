import { Command, CommanderError } from 'commander';
import { version } from '../../platform/config/versions.js';
import { addAccessLog } from './access-log.js';
import { addAccounts } from './accounts.js';
import { addAccountsImport } from './accounts-import.js';
import { addBackup, addChangeDatabaseKey, addRestore } from './backup.js';
import { asFailure, printFailure, printJson, Runner } from './command.js';
import { addDatabase } from './database-copy.js';
import { addDeletions } from './deletions.js';
import { addDoctor } from './doctor.js';
import { addErase, addFence } from './erase.js';
import { addExport } from './export.js';
import { addInboxReplay } from './inbox-replay.js';
import { addAlarms, addCoverage, addExplain, addOverview } from './inspect.js';
import { addLists, addSources } from './lists.js';
import { addOrders } from './orders.js';
import { addPriorities } from './priorities.js';
import { addSubscriptions } from './subscriptions.js';
import { addSyncRecover } from './sync-recover.js';
import { addSyncRun } from './sync-run.js';
import { type CliWorld, type ExitCode, exitCodes, wrongUsage } from './world.js';

const about = [
  'Operator commands. Most use the admin API of the service at --url.',
  'Without --url they start a service on the database of this environment for the duration of the command.',
  'Exit codes: 0 done, 1 failed or differences found, 2 wrong usage. Ctrl-C stops waiting, not the work.',
].join(' ');

/** Commander repeats unknown and invalid arguments, and an address may contain a password. */
function withoutAddresses(text: string): string {
  return text.replace(/(:\/\/)[^\s]*[^\s'.]/g, '$1...');
}

/** Runs a command line and returns the exit code. Never throws. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<ExitCode> {
  const runner = new Runner(world);
  try {
    await program(runner, world).parseAsync(args, { from: 'user' });
    return runner.exitCode;
  } catch (error) {
    const asJson = args.includes('--json');
    if (!(error instanceof CommanderError)) return printFailure(world, asFailure(error), asJson);
    if (error.exitCode === 0) return exitCodes.ok;
    // Commander has already printed the message on standard error.
    if (asJson) printJson(world.out, wrongUsage(withoutAddresses(error.message).replace(/^error: /, '')));
    return exitCodes.usage;
  }
}

export function program(runner: Runner, { out, err }: CliWorld): Command {
  const cli = new Command('pulsekeep')
    .description(about)
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(withoutAddresses(text)),
    });
  addOverview(cli, runner);
  addAlarms(cli, runner);
  addExplain(cli, runner);
  addCoverage(cli, runner);
  addLists(cli, runner);
  addSources(cli, runner);
  addPriorities(cli, runner);
  addDoctor(cli, runner);
  const accounts = cli.command('accounts').description('accounts and their upstream users');
  addAccounts(accounts, runner);
  addAccountsImport(accounts, runner);
  addOrders(cli, runner);
  const sync = cli.command('sync').description('pulls from upstream');
  addSyncRun(sync, runner);
  addSyncRecover(sync, runner);
  addInboxReplay(cli.command('inbox').description('messages received from upstream'), runner);
  addDeletions(cli.command('deletions').description('held deletions: records that upstream no longer returns'), runner);
  addSubscriptions(cli.command('subscriptions').description('endpoints that changes are pushed to'), runner);
  addAccessLog(cli, runner);
  addErase(cli, runner);
  addFence(cli, runner);
  addExport(cli, runner);
  addBackup(cli, runner);
  addRestore(cli, runner);
  addChangeDatabaseKey(cli, runner);
  addDatabase(cli, runner);
  return cli;
}
