import { type Command, InvalidArgumentError } from 'commander';
import { accessReasonPattern } from '../../http/auth/access-reason.js';
import type { Clock } from '../../platform/platform/clock.js';
import { describeError } from '../../platform/platform/errors.js';
import { parseInstant } from '../../platform/platform/time.js';
import { AdminClient } from './admin-client.js';
import { operatorKey } from './operator-key.js';
import { type Display, displayOf } from './progress.js';
import { CliFailure, type CliWorld, type ExitCode, exitCodes, Interrupted, wrongUsage } from './world.js';

export interface OutputOptions {
  readonly json?: true;
}

/** Options of commands that use the admin API. */
export interface CommonOptions extends OutputOptions {
  /** Base URL of a running service, without trailing slash; if undefined, this process starts its own. */
  readonly url?: string;
  readonly keyFile?: string;
  readonly insecureHttp?: true;
  /** Sent with every call as `x-access-reason`. */
  readonly accessReason?: string;
  readonly verbose?: true;
}

export const insecureHttpHelp = 'send the operator key unencrypted to an http:// address of another machine';

export function withOutputOptions(command: Command): Command {
  return command.option('--json', 'print one JSON object on standard output at the end');
}

export function withCommonOptions(command: Command): Command {
  return withOutputOptions(
    command
      .option('--url <url>', 'base URL of a running service (default: start one for this command)', serviceAddress)
      .option('--key-file <path>', 'file with an operator key for --url (default: PULSEKEEP_ADMIN_KEY)')
      .option('--insecure-http', insecureHttpHelp)
      .option('--access-reason <text>', 'reason for the access, stored in the access log', accessReason)
      .option('--verbose', 'log the service of this command to standard error'),
  );
}

/** An http or https address without credentials, query or fragment. Its error does not show it, unlike Commander's. */
export function serviceAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url && ['http:', 'https:'].includes(url.protocol) && `${url.username}${url.password}` === '';
  if (!plain || url.search !== '' || url.hash !== '') {
    throw wrongUsage('--url must be http://HOST:PORT or https://HOST, without credentials.');
  }
  return url.href.replace(/\/+$/, '');
}

function accessReason(text: string): string {
  if (!accessReasonPattern.test(text))
    throw new InvalidArgumentError('It must be 1 to 200 printable ASCII characters.');
  return text;
}

/** Validates only; the service parses the text. */
export function instant(text: string): string {
  if (parseInstant(text) === null) throw new InvalidArgumentError('It must be an RFC 3339 time or YYYY-MM-DD.');
  return text;
}

export function day(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || parseInstant(text) === null)
    throw new InvalidArgumentError('It must be a date as YYYY-MM-DD.');
  return text;
}

/** For repeatable options. */
export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Runs a command, prints its result and keeps the exit code. */
export class Runner {
  exitCode: ExitCode = exitCodes.ok;

  constructor(private readonly world: CliWorld) {}

  /** Runs a command that uses the admin API. */
  service(options: CommonOptions, work: (session: Session) => Promise<Result>): Promise<void> {
    return this.alone(options, (world) => withService(world, options, work));
  }

  /** Runs a command that needs no service. */
  async alone({ json }: OutputOptions, work: (world: CliWorld) => Promise<Result>): Promise<void> {
    const asJson = json === true;
    try {
      this.exitCode = printResult(this.world, await work(this.world), asJson);
    } catch (error) {
      this.exitCode = printFailure(this.world, asFailure(error), asJson);
    }
  }
}

/** Shows only class and code of other errors, because messages can contain values. */
export function asFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  return new CliFailure(`The command failed: ${JSON.stringify(describeError(error))}`, 'internal');
}

/** Result of a command: lines for people, `json` for programs. */
export interface Result {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
  /** Printed on standard error, so that it is not taken for a row of a list. */
  readonly note?: string;
  /** False if the command failed or found differences. */
  readonly good: boolean;
}

function printResult({ out, err }: CliWorld, { lines, json, note, good }: Result, asJson: boolean): ExitCode {
  if (asJson) out.write(`${JSON.stringify(json)}\n`);
  else for (const line of lines) out.write(`${line}\n`);
  if (note !== undefined) err.write(`${note}\n`);
  return good ? exitCodes.ok : exitCodes.failed;
}

/** Prints the reason on standard error, and with `--json` also as the object on standard output. */
export function printFailure({ out, err }: CliWorld, failure: CliFailure, asJson: boolean): ExitCode {
  err.write(`${failure.message}\n`);
  for (const { field, message } of failure.fields) err.write(`  ${field}: ${message}\n`);
  if (asJson) printJson(out, failure);
  return failure.exitCode;
}

export function printJson(out: CliWorld['out'], { message, code, fields }: CliFailure): void {
  out.write(`${JSON.stringify({ error: { code, message, ...(fields.length > 0 ? { errors: fields } : {}) } })}\n`);
}

export interface Session {
  readonly admin: AdminClient;
  /** Standard output, for data too large for a result. */
  readonly out: CliWorld['out'];
  readonly display: Display;
  readonly clock: Clock;
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal;
}

interface Service {
  readonly admin: AdminClient;
  stop(): Promise<void>;
}

/**
 * Runs `work` against the service at `--url`, or against one that this process starts for the command. Ctrl-C stops
 * waiting, not the work: it is stored, and continues in the running service or at the next start.
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
      if (interrupt.signal.aborted) throw new CliFailure('Stopped before anything was requested.', 'interrupted');
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

async function connect(
  world: CliWorld,
  { url, keyFile, insecureHttp, accessReason, verbose }: CommonOptions,
): Promise<Service> {
  if (url !== undefined) {
    const key = operatorKey({ url, keyFile, insecureHttp }, world);
    return { admin: new AdminClient(url, key, accessReason), stop: async () => undefined };
  }
  const local = await world.startLocal(verbose === true).catch((error: unknown) => {
    throw withHintOfUrl(error);
  });
  return { admin: new AdminClient(local.url, local.key, accessReason), stop: () => local.stop() };
}

/** The configuration is that of a service, which a command does not need if it names a running one. */
function withHintOfUrl(error: unknown): unknown {
  if (!(error instanceof CliFailure) || error.code !== 'bad_configuration') return error;
  return new CliFailure(`${error.message}\nTo call a running service instead, name it with --url.`, error.code);
}

function goesOn(remote: boolean): CliFailure {
  const where = remote ? 'The work continues in the service.' : 'Unfinished work resumes at the next start.';
  return new CliFailure(`Stopped waiting. ${where}`, 'interrupted');
}
