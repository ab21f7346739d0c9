import { setTimeout as pause } from 'node:timers/promises';

/** Shorter than Jest's limit, so that a test that fails says what it waited for. */
const LONGEST_MS = 180_000;
/** Pauses grow: polling without them would take CPU time from the work being awaited. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

/** Polls until the condition holds; throws after LONGEST_MS. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (let wait = FIRST_PAUSE_MS; !(await condition()); wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${LONGEST_MS / 1_000} s.`);
    await pause(wait);
  }
}
