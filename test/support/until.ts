const LONGEST_MS = 60_000;

/** Asks again and again, each time over HTTP or the event loop, until the answer is yes; gives up after a minute. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
