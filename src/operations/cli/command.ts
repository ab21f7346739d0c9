import { type Command, InvalidArgumentError } from 'commander';
import { accessReasonPattern } from '../../http/auth/access-reason.js';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { parseInstant } from '../../platform/platform/time.js';
import { AdminClient } from './admin-client.js';
import { operatorKey } from './operator-key.js';
import { type Display, displayOf } from './progress.js';
import { CliFailure, type CliWorld, type ExitCode, exitCodes, Interrupted } from './world.js';

/** Options of every command. */
export interface OutputOptions {
  readonly json?: true;
}

/** Options of every command that drives a service. */
export interface CommonOptions extends OutputOptions {
  /** Of a running service, without a slash at the end; undefined: this process runs one itself. */
  readonly url?: string;
  readonly keyFile?: string;
  /** Goes along with every call, as `x-access-reason`. */
  readonly accessReason?: string;
  readonly verbose?: true;
}

export function withOutputOptions(command: Command): Command {
  return command.option('--json', 'one JSON object on standard output at the end');
}

export function withCommonOptions(command: Command): Command {
  return withOutputOptions(
    command
      .option(
        '--url <url>',
        'drive the service that runs there; without it one is run here for the time of it',
        serviceAddress,
      )
      .option('--key-file <path>', 'file that holds an operator key, for --url; else PULSEKEEP_ADMIN_KEY')
      .option('--access-reason <text>', 'why, kept with what the access log records', accessReason)
      .option('--verbose', 'log of the service that is run here, on standard error'),
  );
}

/** An http or https address without credentials, query or fragment. */
export function serviceAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url && ['http:', 'https:'].includes(url.protocol) && `${url.username}${url.password}` === '';
  if (!plain || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be http://HOST:PORT or https://HOST, without credentials.');
  }
  return url.href.replace(/\/+$/, '');
}

/** What the service takes as a reason; stays a text. */
function accessReason(text: string): string {
  if (!accessReasonPattern.test(text))
    throw new InvalidArgumentError('It must be 1 to 200 printable ASCII characters.');
  return text;
}

/** A time as the service takes it; stays a text. */
export function instant(text: string): string {
  if (parseInstant(text) === null) throw new InvalidArgumentError('It must be an RFC 3339 time or YYYY-MM-DD.');
  return text;
}

/** For options that may be given several times. */
export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

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

/** What a command ends with: lines for people, the same as an object for programs. */
export interface Result {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
  /** False: failed, or differences were found. */
  readonly good: boolean;
}

/** Prints it and answers how the program ends. */
function printResult({ out }: CliWorld, { lines, json, good }: Result, asJson: boolean): ExitCode {
  if (asJson) out.write(`${JSON.stringify(json)}\n`);
  else for (const line of lines) out.write(`${line}\n`);
  return good ? exitCodes.ok : exitCodes.failed;
}

/** Says why on standard error; with `--json` it is the one object on standard output too. */
export function printFailure({ out, err }: CliWorld, failure: CliFailure, asJson: boolean): ExitCode {
  err.write(`${failure.message}\n`);
  for (const { field, message } of failure.fields) err.write(`  ${field}: ${message}\n`);
  if (asJson) {
    const { message, code, fields } = failure;
    out.write(`${JSON.stringify({ error: { code, message, ...(fields.length > 0 ? { errors: fields } : {}) } })}\n`);
  }
  return failure.exitCode;
}

/** `name  value` lines, values below each other. */
export function aligned(pairs: Readonly<Record<string, string | number | null>>): string[] {
  const names = Object.keys(pairs);
  const width = Math.max(...names.map((name) => name.length));
  return Object.entries(pairs).map(([name, value]) => `${name.padEnd(width)}  ${value ?? '-'}`);
}

/** What a command has while it runs. */
export interface Session {
  readonly admin: AdminClient;
  /** Standard output, for data too long for a result. */
  readonly out: CliWorld['out'];
  readonly display: Display;
  readonly clock: Clock;
  /** Aborted at Ctrl-C. */
  readonly signal: AbortSignal;
}

interface Service {
  readonly admin: AdminClient;
  stop(): Promise<void>;
}

/**
 * Runs `work` against the service of `--url`, or against one that this process runs itself for that long. Ctrl-C ends
 * the waiting, not the work: what was asked for is stored, and goes on where the service runs or at its next start.
 */
async function withService<T>(
  world: CliWorld,
  options: CommonOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const remote = options.url !== undefined;
  const interrupt = new AbortController();
  const release = world.onInterrupt(() => interrupt.abort());
  try {
    const service = await connect(world, options);
    const display = displayOf(world);
    try {
      const { admin } = service;
      return await work({ admin, out: world.out, display, clock: world.clock, signal: interrupt.signal });
    } finally {
      display.end();
      await service.stop();
    }
  } catch (error) {
    throw error instanceof Interrupted ? goesOn(remote) : error;
  } finally {
    release();
  }
}

async function connect(world: CliWorld, { url, keyFile, accessReason, verbose }: CommonOptions): Promise<Service> {
  if (url !== undefined) {
    const key = operatorKey(keyFile, () => world.operatorKey());
    return { admin: new AdminClient(url, key, accessReason), stop: async () => undefined };
  }
  const local = await world.startLocal(verbose === true);
  return { admin: new AdminClient(local.url, local.key, accessReason), stop: () => local.stop() };
}

function goesOn(remote: boolean): CliFailure {
  const where = remote ? 'The work goes on in the service.' : 'What is not done is resumed at the next start.';
  return new CliFailure(`Stopped waiting. ${where}`, 'interrupted');
}
