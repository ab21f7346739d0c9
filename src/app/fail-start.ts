import { reasonOf } from './start-failure.js';

/** Ends the process with 1 and says why on standard error. */
export function failStart(error: unknown): never {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
}
