let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets. Long computations that await it run one per turn
 * and let requests in between; without it many could run in the same turn.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

/** Runs a computation that pauses with each `yield`: gives way to everybody else there. */
export async function inTurns<R>(computation: Generator<void, R>): Promise<R> {
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}

/** Others are let in once a computation has taken so long. */
const TURN_MS = 5;

/** `items.map(of)` for what may be many or large: gives way to everybody else in between. */
export async function mapInTurns<T, R>(items: readonly T[], of: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  let begun = performance.now();
  for (const item of items) {
    if (performance.now() - begun > TURN_MS) {
      await yieldToEventLoop();
      begun = performance.now();
    }
    mapped.push(of(item));
  }
  return mapped;
}
