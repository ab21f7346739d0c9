import { Command, CommanderError } from 'commander';
import { version } from '../../platform/config/versions.js';
import { addAccessLogVerify } from './access-log.js';
import { addAnalytics } from './analytics.js';
import { addApiCommands, groupOf } from './api-commands.js';
import { addAuditProve, addAuditVerify } from './audit-report.js';
import { addBackup, addChangeDatabaseKey, addRestore } from './backup.js';
import { asFailure, printFailure, printJson, Runner } from './command.js';
import { addDatabase } from './database-copy.js';
import { addDataset } from './dataset.js';
import { addDoctor } from './doctor.js';
import { addExport } from './export.js';
import { addFence } from './fence.js';
import { addKeys } from './keys.js';
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
  addDoctor(cli, runner);
  addApiCommands(cli, runner);
  addSyncRun(groupOf(cli, 'sync', 'pulls from upstream'), runner);
  addAccessLogVerify(groupOf(cli, 'access-log', 'entries and verification of the access log'), runner);
  const audit = groupOf(cli, 'audit', 'comparisons of stored days with upstream, and reports about them');
  addAuditVerify(audit, runner);
  addAuditProve(audit, runner);
  addFence(cli, runner);
  addKeys(cli, runner);
  addExport(cli, runner);
  addAnalytics(cli, runner);
  addDataset(cli, runner);
  addBackup(cli, runner);
  addRestore(cli, runner);
  addChangeDatabaseKey(cli, runner);
  addDatabase(cli, runner);
  return cli;
}
