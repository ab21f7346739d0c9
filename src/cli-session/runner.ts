import { describeError } from '../platform/errors.js';
import { CliFailure, type ExitCode, exitCodes } from './exit.js';
import type { CommonOptions, OutputOptions } from './options.js';
import { printFailure, printResult, type Result } from './result.js';
import { type Session, withService } from './session.js';
import type { CliWorld } from './world.js';

/** Carries a command out, prints how it ended and keeps the exit code. */
export class Runner {
  exitCode: ExitCode = exitCodes.ok;

  constructor(private readonly world: CliWorld) {}

  /** A command that drives a service. */
  service(options: CommonOptions, work: (session: Session) => Promise<Result>): Promise<void> {
    return this.alone(options, (world) => withService(world, options, work));
  }

  /** A command that needs none. */
  async alone({ json }: OutputOptions, work: (world: CliWorld) => Promise<Result>): Promise<void> {
    const asJson = json === true;
    try {
      this.exitCode = printResult(this.world, await work(this.world), asJson);
    } catch (error) {
      this.exitCode = printFailure(this.world, asFailure(error), asJson);
    }
  }
}

/** Words for anything thrown: our own, or class and code. */
export function asFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  return new CliFailure(`The command failed: ${JSON.stringify(describeError(error))}`, 'internal');
}
