/*
 * Two threads of one process write to one SQLite file, each through a connection and a lane of its own. SQLite's own
 * lock would have whoever comes second ask again and again; this one is a number in shared memory, and whoever waits
 * for it is woken.
 *
 *   free --takes--> serving (the thread of HTTP)    --ends--> free, or working where that has waited for long
 *   free --takes--> working (background work), unless serving waits
 *                                                   --ends--> serving where that waits, else free
 *
 * Somebody waits for an answer from the serving thread, so it comes first, but the other one is not kept out for ever.
 * A thread that ends while it has the turn takes the process with it, and the next start begins free.
 */

export type Side = 'serving' | 'working';

/** Bits of the state, and the place beside it where the turns of a side are counted. */
const bitsOf = {
  serving: { has: 1, waits: 4, turns: 1 },
  working: { has: 2, waits: 8, turns: 2 },
} as const;

/** From then on the serving thread hands its turn over instead of leaving it to who is faster. */
const LONG_WAIT_MS = 20;

/** One side's view of whose turn it is to write. */
export class WriteTurns {
  private readonly state: Int32Array<SharedArrayBuffer>;
  private readonly own;
  private readonly other;
  /** Since when the other side has waited, as the ends of own turns have shown; by the monotonic clock. */
  private awaitedSince: number | null = null;
  /** How many turns the other side had had by then. */
  private turnsOfOther = 0;

  /** `memory`: from {@link WriteTurns.memory}, the same for both sides. */
  constructor(
    memory: SharedArrayBuffer,
    readonly side: Side,
  ) {
    this.state = new Int32Array(memory);
    this.own = bitsOf[side];
    this.other = bitsOf[side === 'serving' ? 'working' : 'serving'];
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Takes the turn if it can be had now. If not, this side counts as waiting until `take` has come to its end. */
  tryTake(): boolean {
    return this.attempt() === null;
  }

  /** Waits for the turn. One caller of a side at a time. Does not keep the event loop alive by itself. */
  async take(): Promise<void> {
    for (let seen = this.attempt(); seen !== null; seen = this.attempt()) {
      await Atomics.waitAsync(this.state, 0, seen).value;
    }
  }

  /** Null with the turn taken; without it the state to wait for a change of. */
  private attempt(): number | null {
    return this.change((now) => {
      const isHandedOver = (now & this.own.has) !== 0;
      const isFree = (now & this.other.has) === 0 && (this.side === 'serving' || (now & this.other.waits) === 0);
      if (isHandedOver || isFree) return { next: (now & ~this.own.waits) | this.own.has, result: null };
      const next = now | this.own.waits;
      return { next, result: next };
    });
  }

  /** Whether the other side waits for the end of this turn. */
  isAwaited(): boolean {
    return (Atomics.load(this.state, 0) & this.other.waits) !== 0;
  }

  end(): void {
    Atomics.add(this.state, this.own.turns, 1);
    const isAwaited = this.change((now) => {
      const waits = (now & this.other.waits) !== 0;
      const free = now & ~this.own.has;
      return { next: waits && this.handsOver() ? (free & ~this.other.waits) | this.other.has : free, result: waits };
    });
    if (isAwaited) Atomics.notify(this.state, 0);
    else this.awaitedSince = null;
  }

  private handsOver(): boolean {
    if (this.side === 'working') return true;
    const turns = Atomics.load(this.state, this.other.turns);
    if (turns !== this.turnsOfOther) this.awaitedSince = null;
    this.turnsOfOther = turns;
    this.awaitedSince ??= performance.now();
    if (performance.now() - this.awaitedSince < LONG_WAIT_MS) return false;
    this.awaitedSince = null;
    return true;
  }

  private change<T>(step: (now: number) => { readonly next: number; readonly result: T }): T {
    for (;;) {
      const now = Atomics.load(this.state, 0);
      const { next, result } = step(now);
      if (Atomics.compareExchange(this.state, 0, now, next) === now) return result;
    }
  }
}
