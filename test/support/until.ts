import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 60_000;
/** Asking without a pause would take the processor from what is waited for. */
const PAUSE_MS = 5;

/** Asks again and again until the answer is yes; gives up after a minute. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await pause(PAUSE_MS);
  }
}
