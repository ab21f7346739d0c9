import type { Command } from 'commander';
import { type OutputOptions, type Result, type Runner, serviceAddress, withOutputOptions } from './command.js';
import type { Check } from './examination.js';
import { CliFailure, type CliWorld } from './world.js';

interface Options extends OutputOptions {
  readonly url?: string;
}

export function addDoctor(cli: Command, runner: Runner): void {
  const command = cli
    .command('doctor')
    .description('look at configuration, upstream key, clock, database, disk and service, and say what is wrong')
    .option('--url <url>', 'the running service; else the HOST and PORT of this environment', serviceAddress);
  withOutputOptions(command).action((options: Options) =>
    runner.alone(options, async (world) => resultOf(await checks(world, options.url))),
  );
}

async function checks(world: CliWorld, url: string | undefined): Promise<Check[]> {
  try {
    // Loaded here: it brings the database's libraries along, which no other command for a service needs.
    const { examineAll } = await import('./examination.js');
    return await examineAll(world.configuration(), world.clock, url);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'bad_configuration') throw error;
    const finding = `${error.message}\nThe rest can be looked at once this is right.`;
    return [{ check: 'configuration', state: 'bad', finding }];
  }
}

function resultOf(found: readonly Check[]): Result {
  const width = Math.max(...found.map(({ check }) => check.length));
  const lines = found.map(({ check, state, finding }) => `${state.padEnd(7)}  ${check.padEnd(width)}  ${finding}`);
  const good = found.every(({ state }) => state !== 'bad');
  return { good, lines, json: { ok: good, checks: found } };
}
