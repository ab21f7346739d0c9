import { readFileSync } from 'node:fs';

/*
 * Loaded before the program to simulate a machine whose clock is set: `Date` is ahead of the real clock by the
 * milliseconds in the file named by CHAOS_CLOCK_FILE. Monotonic clocks are unchanged.
 */

const LOOK_EVERY_MS = 100;

let ahead = 0;

function look(): void {
  try {
    ahead = Number(readFileSync(process.env['CHAOS_CLOCK_FILE'] ?? '', 'utf8'));
  } catch {
    // The file is missing or being written: keep the current offset.
  }
}

look();
setInterval(look, LOOK_EVERY_MS).unref();
const RealDate = Date;
const now = (): number => RealDate.now() + ahead;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as object,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
});
