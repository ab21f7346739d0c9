import type { FieldError } from '../platform/errors.js';

/** ok: done, nothing differs · failed: not done, not known to be done, or differences found · usage: asked wrongly. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Why a command ends, in words for the terminal: never a key, never a value. */
export class CliFailure extends Error {
  override readonly name: string = 'CliFailure';

  constructor(
    message: string,
    /** One of the service's codes, or one of this program's own. */
    readonly code: string,
    readonly exitCode: ExitCode = exitCodes.failed,
    readonly fields: readonly FieldError[] = [],
  ) {
    super(message);
  }
}

/** The options do not make sense together, or one of them is not what it must be. */
export function wrongUsage(message: string): CliFailure {
  return new CliFailure(message, 'wrong_usage', exitCodes.usage);
}

/** Somebody pressed Ctrl-C while a command waited. */
export class Interrupted extends CliFailure {
  override readonly name = 'Interrupted';

  constructor() {
    super('Stopped waiting.', 'interrupted');
  }
}
