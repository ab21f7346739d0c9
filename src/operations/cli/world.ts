import type { Config } from '../../platform/config/config.js';
import type { DatabaseConfig } from '../../platform/config/database-config.js';
import type { Secret } from '../../platform/config/secret.js';
import type { Clock } from '../../platform/platform/clock.js';
import type { FieldError } from '../../platform/platform/errors.js';
import type { ComputedDays, View } from '../../storage/declarations/views.js';
import type { DatabaseIdentity } from '../../storage/schema/database-identity.js';

/** A service in this process that runs for one command. */
export interface LocalService {
  readonly url: string;
  /** Operator key that exists only in the memory of this process. */
  readonly key: Secret;
  /** Finishes running work, then closes the database. */
  stop(): Promise<void>;
}

/** The database of this environment, and the region and environment it must belong to. */
export interface LocalDatabase {
  readonly config: DatabaseConfig;
  readonly stamp: DatabaseIdentity;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The process of a command, as the commands see it. */
export interface CliWorld {
  /** Results. */
  readonly out: Output;
  /** Progress and errors. */
  readonly err: NodeJS.WritableStream & Output;
  readonly clock: Clock;
  /** PULSEKEEP_ADMIN_KEY; undefined if unset. */
  operatorKey(): Secret | undefined;
  /** Throws CliFailure if the configuration is invalid, or if another process holds the database. */
  startLocal(verbose: boolean): Promise<LocalService>;
  /** Throws CliFailure `bad_configuration` with all problems of the environment. */
  configuration(): Config;
  /** Every table, for commands that read or copy the database without a service. Loads the application. */
  entities(): Promise<readonly (new () => object)[]>;
  /** The views of analysts. Loads the application. */
  views(): Promise<readonly View[]>;
  /** The daily numbers of people, which no view can show. Loads the application. */
  daily(): Promise<ComputedDays>;
  /** Throws CliFailure if the configuration is invalid. */
  database(): LocalDatabase;
  /** Calls `react` on SIGINT or SIGTERM. Returns a function that stops listening. */
  onInterrupt(react: () => void): () => void;
}

/** failed: not done, not known to be done, or differences found; usage: invalid arguments. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Failure of a command with a message for the terminal; never contains keys or values. */
export class CliFailure extends Error {
  override readonly name: string = 'CliFailure';

  constructor(
    message: string,
    /** A problem code of the service, or a code of the CLI. */
    readonly code: string,
    readonly exitCode: ExitCode = exitCodes.failed,
    readonly fields: readonly FieldError[] = [],
  ) {
    super(message);
  }
}

export function wrongUsage(message: string): CliFailure {
  return new CliFailure(message, 'wrong_usage', exitCodes.usage);
}

/** The user pressed Ctrl-C while a command was waiting. */
export class Interrupted extends CliFailure {
  override readonly name = 'Interrupted';

  constructor() {
    super('Stopped waiting.', 'interrupted');
  }
}
