import { CallerTurns } from './caller-turns.js';

const paused = new CallerTurns<() => void>();
let isNextDue = false;

/**
 * Resolves in a turn of the event loop that no other computation gets; callers take turns. Long computations that await
 * it run one per turn, so that requests can run between them; without it, many could run in the same turn.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    paused.add(resolve);
    continueLater();
  });
}

function continueLater(): void {
  if (isNextDue) return;
  isNextDue = true;
  setImmediate(() => {
    isNextDue = false;
    paused.take()?.();
    if (paused.size > 0) continueLater();
  });
}

/** Runs a computation, and yields to the event loop at each of its `yield`s. */
export async function inTurns<R>(computation: Generator<void, R>): Promise<R> {
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}

/** A computation yields after this long. */
const TURN_MS = 5;

/** `items.map(of)` for many or large items; yields to the event loop in between. */
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
