import type { Command } from 'commander';
import type { Secret } from '../../platform/config/secret.js';
import type { AlarmsDto } from '../alarms/alarms.dto.js';
import type { Check } from '../probes/check.js';
import type { AskAlarms } from '../probes/service-checks.js';
import { AdminClient } from './admin-client.js';
import {
  insecureHttpHelp,
  type OutputOptions,
  type Result,
  type Runner,
  serviceAddress,
  withOutputOptions,
} from './command.js';
import { operatorKey } from './operator-key.js';
import { CliFailure, type CliWorld } from './world.js';

interface Options extends OutputOptions {
  readonly url?: string;
  readonly keyFile?: string;
  readonly insecureHttp?: true;
}

/** The checks give up a silent upstream or service after 5 s, and a silent database after 9 s. */
const MAX_CHECK_SECONDS = 9;

export function addDoctor(cli: Command, runner: Runner): void {
  const command = cli
    .command('doctor')
    .description('check configuration, upstream key, clock, database, disk, service and alarms, and report problems')
    .option(
      '--url <url>',
      'base URL of the running service (default: HOST and PORT of this environment)',
      serviceAddress,
    )
    .option(
      '--key-file <path>',
      'file with an operator key, to read the alarms of all processes (default: PULSEKEEP_ADMIN_KEY)',
    )
    .option('--insecure-http', insecureHttpHelp);
  withOutputOptions(command).action((options: Options) =>
    runner.alone(options, async (world) => resultOf(await checks(world, options))),
  );
}

async function checks(world: CliWorld, { url, keyFile, insecureHttp }: Options): Promise<Check[]> {
  try {
    const hasKey = keyFile !== undefined || world.operatorKey() !== undefined;
    const key = hasKey ? operatorKey({ url, keyFile, insecureHttp }, world) : undefined;
    // Lazy, because it loads the database drivers, which commands with --url do not need.
    const { examineAll } = await import('../probes/examination.js');
    const config = world.configuration();
    const askAlarms = key && askWith(key);
    const waitingFor = (checks: readonly string[]): void =>
      void world.err.write(`Waiting for ${checks.join(', ')}, for up to ${MAX_CHECK_SECONDS} s.\n`);
    return await examineAll(config, world.clock, { url, askAlarms, waitingFor, entities: await world.entities() });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'bad_configuration') throw error;
    const finding = `${error.message}\nOther checks need a valid configuration.`;
    return [{ check: 'configuration', state: 'bad', finding }];
  }
}

function askWith(key: Secret): AskAlarms {
  return async (url) => {
    try {
      return (await new AdminClient(url, key).get<AlarmsDto>('/alarms')).data;
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      return error.message;
    }
  };
}

function resultOf(found: readonly Check[]): Result {
  const width = Math.max(...found.map(({ check }) => check.length));
  const lines = found.map(({ check, state, finding }) => `${state.padEnd(7)}  ${check.padEnd(width)}  ${finding}`);
  const good = found.every(({ state }) => state !== 'bad');
  return { good, lines, json: { ok: good, checks: found } };
}
