import { requestContext } from './request-context.js';

/**
 * A queue in which callers take turns: a caller's first item waits for at most one item of each other caller, however
 * many they have. Items of one caller keep their order. Work without a caller, such as that of workers, has a turn for
 * each item.
 */
export class CallerTurns<T> {
  /** In the order of their turns. */
  private readonly callers = new Map<string | symbol, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds an item for the caller of the current request. */
  add(item: T): void {
    const caller = requestContext().caller ?? Symbol('nobody');
    const items = this.callers.get(caller);
    if (items) items.push(item);
    else this.callers.set(caller, [item]);
    this.count += 1;
  }

  /** Removes and returns the next item; undefined if there is none. */
  take(): T | undefined {
    for (const [caller, items] of this.callers) {
      const item = items.shift();
      this.callers.delete(caller);
      if (items.length > 0) this.callers.set(caller, items);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes an item that need not wait any longer. */
  remove(item: T): void {
    for (const [caller, items] of this.callers) {
      const index = items.indexOf(item);
      if (index < 0) continue;
      items.splice(index, 1);
      if (items.length === 0) this.callers.delete(caller);
      this.count -= 1;
      return;
    }
  }

  /** Removes and returns all items. */
  takeAll(): T[] {
    const items = [...this.callers.values()].flat();
    this.callers.clear();
    this.count = 0;
    return items;
  }
}
