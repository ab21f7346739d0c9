let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that nobody else who asked is given. Long computations that wait for it one
 * after another let requests in between; many that became possible at once would not.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
