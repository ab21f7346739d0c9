import { requestContext } from './request-context.js';

/** Items of one caller; those of work without a caller have one each. */
interface Turn<T> {
  readonly caller: string | null;
  readonly items: T[];
}

/** Turns that have passed are dropped once there are this many. */
const MAX_PASSED = 1_000;

/**
 * A queue in which callers take turns: a caller's first item waits for at most one item of each other caller, however
 * many they have. Items of one caller keep their order. Work without a caller, such as that of workers, has a turn for
 * each item.
 */
export class CallerTurns<T> {
  private readonly callers = new Map<string, Turn<T>>();
  /** In order; those before `passed` are over. */
  private turns: Turn<T>[] = [];
  private passed = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds an item for the caller of the current request. */
  add(item: T): void {
    const { caller = null } = requestContext();
    this.count += 1;
    const known = caller === null ? undefined : this.callers.get(caller);
    if (known) {
      known.items.push(item);
      return;
    }
    const turn = { caller, items: [item] };
    if (caller !== null) this.callers.set(caller, turn);
    this.turns.push(turn);
  }

  /** Removes and returns the next item; undefined if there is none. */
  take(): T | undefined {
    if (this.count === 0) return undefined;
    for (;;) {
      const turn = this.pass();
      if (turn === undefined) return undefined;
      const item = turn.items.shift();
      if (turn.items.length > 0) this.turns.push(turn);
      else if (turn.caller !== null) this.callers.delete(turn.caller);
      if (item === undefined) continue;
      this.count -= 1;
      return item;
    }
  }

  /** Removes an item that need not wait any longer. */
  remove(item: T): void {
    const turn = this.turns.slice(this.passed).find(({ items }) => items.includes(item));
    if (turn === undefined) return;
    turn.items.splice(turn.items.indexOf(item), 1);
    this.count -= 1;
  }

  /** Removes and returns all items. */
  takeAll(): T[] {
    const items = this.turns.slice(this.passed).flatMap((turn) => turn.items);
    this.callers.clear();
    this.turns = [];
    this.passed = 0;
    this.count = 0;
    return items;
  }

  private pass(): Turn<T> | undefined {
    const turn = this.turns[this.passed];
    this.passed += 1;
    if (this.passed >= MAX_PASSED && this.passed * 2 >= this.turns.length) {
      this.turns = this.turns.slice(this.passed);
      this.passed = 0;
    }
    return turn;
  }
}
