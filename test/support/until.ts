import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 60_000;
/** Asking without a pause would take the processor from what is waited for, so pauses grow. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

/** Asks again and again until the answer is yes; gives up after a minute. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (let wait = FIRST_PAUSE_MS; !(await condition()); wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await pause(wait);
  }
}
