/** A model of a protocol: states as plain JSON, and every possible next step. */
export interface Model<State> {
  readonly initial: State;
  steps(state: State): readonly Step<State>[];
  /** The fault of a state; null if there is none. */
  wrong(state: State): string | null;
  /** True if the work may rest here. Such a state must be reachable from every state. */
  isRest(state: State): boolean;
}

export interface Step<State> {
  readonly name: string;
  readonly next: State;
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** The first violation found, with the shortest way to it. */
  readonly violation: { readonly what: string; readonly path: readonly string[] } | null;
}

interface Seen<State> {
  readonly state: State;
  readonly from: string | null;
  readonly by: string;
  readonly next: string[];
}

/** Enough for every model here; a model that outgrows it is wrong. */
const MAX_STATES = 200_000;

/** Visits every state that any interleaving of steps can reach, nearest first; calls `visit` for each step. */
export function explore<State>(
  model: Model<State>,
  visit: (state: State, step: Step<State>) => void = () => undefined,
): Explored {
  const seen = new Map<string, Seen<State>>();
  const first = JSON.stringify(model.initial);
  seen.set(first, { state: model.initial, from: null, by: '', next: [] });
  let steps = 0;
  for (const [key, { state, next }] of seen) {
    const what = model.wrong(state);
    if (what !== null) return { states: seen.size, steps, violation: { what, path: pathTo(seen, key) } };
    for (const step of model.steps(state)) {
      steps += 1;
      visit(state, step);
      const reached = JSON.stringify(step.next);
      next.push(reached);
      if (!seen.has(reached)) seen.set(reached, { state: step.next, from: key, by: step.name, next: [] });
    }
    if (seen.size > MAX_STATES) throw new Error('the model has too many states');
  }
  const stuck = withoutRest(model, seen);
  const violation = stuck === null ? null : { what: 'no rest is in reach', path: pathTo(seen, stuck) };
  return { states: seen.size, steps, violation };
}

/**
 * Numbers in use as 1, 2, 3 in their order, for those of which only the order counts: states that differ in nothing
 * else are then one. 0 stays 0.
 */
export function renumbered(inUse: readonly number[]): (number: number) => number {
  const order = [0, ...new Set(inUse.filter((number) => number !== 0))].sort((a, b) => a - b);
  return (number) => order.indexOf(number);
}

function pathTo<State>(seen: ReadonlyMap<string, Seen<State>>, key: string): string[] {
  const path: string[] = [];
  for (let at = seen.get(key); at && at.from !== null; at = seen.get(at.from)) path.unshift(at.by);
  return path;
}

/** The nearest state from which no rest can be reached, going back from all that are one. */
function withoutRest<State>(model: Model<State>, seen: ReadonlyMap<string, Seen<State>>): string | null {
  const before = new Map<string, string[]>();
  for (const [key, { next }] of seen) {
    for (const each of next) before.set(each, [...(before.get(each) ?? []), key]);
  }
  const good = new Set([...seen].filter(([, { state }]) => model.isRest(state)).map(([key]) => key));
  for (const key of good) for (const each of before.get(key) ?? []) good.add(each);
  return [...seen.keys()].find((key) => !good.has(key)) ?? null;
}
