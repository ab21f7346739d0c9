import type { Config, DatabaseConfig } from '../../platform/config/config.js';
import type { Secret } from '../../platform/config/secret.js';
import type { Clock } from '../../platform/platform/clock.js';
import type { FieldError } from '../../platform/platform/errors.js';
import type { DatabaseIdentity } from '../../storage/schema/database-identity.js';

/** A service that runs inside this process for the time of one command. */
export interface LocalService {
  readonly url: string;
  /** Of an operator who exists in the memory of this process alone. */
  readonly key: Secret;
  /** Lets work in hand finish, then lets go of the database. */
  stop(): Promise<void>;
}

/** The database of this environment and whom it must belong to. */
export interface LocalDatabase {
  readonly config: DatabaseConfig;
  readonly stamp: DatabaseIdentity;
}

/** One of the two outputs of a program. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What the commands are given of the process they run in. */
export interface CliWorld {
  /** Answers. */
  readonly out: Output;
  /** Progress and what went wrong. */
  readonly err: NodeJS.WritableStream & Output;
  readonly clock: Clock;
  /** Of the environment; undefined where it holds none. */
  operatorKey(): Secret | undefined;
  /**
   * Throws CliFailure where the environment does not describe a service, or its database is held by another process.
   */
  startLocal(verbose: boolean): Promise<LocalService>;
  /** Throws CliFailure `bad_configuration` with everything that is wrong with the environment. */
  configuration(): Config;
  /** Every table, for what reads or copies the database without a service. Loads the application. */
  entities(): Promise<readonly (new () => object)[]>;
  /** Throws CliFailure where the environment does not describe one. */
  database(): LocalDatabase;
  /** Calls back at the first Ctrl-C (or SIGTERM) only; answers how to stop listening. */
  onInterrupt(react: () => void): () => void;
}

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
