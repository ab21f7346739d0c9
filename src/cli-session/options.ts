import { type Command, InvalidArgumentError } from 'commander';
import { parseInstant } from '../platform/time.js';

/** Options of every command. */
export interface OutputOptions {
  readonly json?: true;
}

/** Options of every command that drives a service. */
export interface CommonOptions extends OutputOptions {
  /** Of a running service, without a slash at the end; undefined: this process runs one itself. */
  readonly url?: string;
  readonly keyFile?: string;
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
        address,
      )
      .option('--key-file <path>', 'file that holds an operator key, for --url; else PULSEKEEP_ADMIN_KEY')
      .option('--verbose', 'log of the service that is run here, on standard error'),
  );
}

/** An http or https address without credentials, query or fragment. */
function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url && ['http:', 'https:'].includes(url.protocol) && `${url.username}${url.password}` === '';
  if (!plain || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be http://HOST:PORT or https://HOST, without credentials.');
  }
  return url.href.replace(/\/+$/, '');
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
