import { type CliFailure, type ExitCode, exitCodes } from './exit.js';
import type { CliWorld } from './world.js';

/** What a command ends with: lines for people, the same as an object for programs. */
export interface Result {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
  /** False: failed, or differences were found. */
  readonly good: boolean;
}

/** Prints it and answers how the program ends. */
export function printResult({ out }: CliWorld, { lines, json, good }: Result, asJson: boolean): ExitCode {
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
