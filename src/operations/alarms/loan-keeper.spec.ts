import fc from 'fast-check';
import { type Clock, SystemClock } from '../../platform/platform/clock.js';
import { Budget } from '../../upstream/transport/budget.js';
import { type CallLoans, LOAN_MS } from './call-loans.js';
import { type ChangeLoans, LoanKeeper } from './loan-keeper.js';

const system = new SystemClock();
const LIMIT = 20;
const STEP_MS = 10;
const CALL_MS = 50;
const LATENCY_MS = 15;
const SLOW_MS = 700;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The table of loans, with a clock of its own. */
class Book {
  readonly rows = new Map<string, CallLoans>();
  private turn: Promise<unknown> = Promise.resolve();

  change(instance: string, decide: Parameters<ChangeLoans>[0]): Promise<boolean> {
    const changed = this.turn.then(() => {
      const others = [...this.rows].filter(([other]) => other !== instance).map(([, row]) => row);
      this.rows.set(instance, decide(others, system.now() - 3_600_000));
      return true;
    });
    this.turn = changed;
    return changed;
  }
}

type Database = 'works' | 'refuses' | 'loses the answer' | 'answers slowly';

/** One process: its budget, and a caller that always has calls waiting while it is busy. */
class Simulated {
  busy = false;
  database: Database = 'works';
  statements = 0;
  private alive = true;
  private waiting = 0;
  private readonly budget: Budget;
  private readonly keeper: LoanKeeper;

  constructor(
    book: Book,
    readonly instance: string,
    sharers: number,
    private readonly begun: (instance: string) => void,
  ) {
    const ahead = instance.charCodeAt(0) * 100_000;
    const clock: Clock = { now: () => system.now() + ahead, monotonic: () => system.monotonic() + ahead };
    this.budget = new Budget({ maxConcurrency: 8, requestsPerSecond: LIMIT }, { sharers }, clock);
    this.keeper = new LoanKeeper(this.budget, { sharers }, clock, async (decide) => {
      this.statements += 1;
      await wait(LATENCY_MS);
      if (this.database === 'refuses' || !this.alive) throw new Error('away');
      const isStored = await book.change(instance, decide);
      await wait(this.database === 'answers slowly' ? SLOW_MS : LATENCY_MS);
      if (this.database === 'loses the answer') throw new Error('lost');
      return isStored;
    });
    void this.keepLoans();
  }

  get rate(): number {
    return this.alive ? this.budget.current.requestsPerSecond : 0;
  }

  die(): void {
    this.alive = false;
  }

  call(): Promise<void> {
    return this.budget.run({ priority: 'bulk' }, new AbortController().signal, async () => {
      if (this.alive) this.begun(this.instance);
      await wait(CALL_MS);
    });
  }

  step(): void {
    while (this.alive && this.busy && this.waiting < 10) {
      this.waiting += 1;
      void this.call().finally(() => (this.waiting -= 1));
    }
  }

  private async keepLoans(): Promise<void> {
    while (this.alive) {
      await wait(LOAN_MS / 2);
      if (this.alive) await this.keeper.look().catch(() => undefined);
    }
  }
}

interface Begun {
  readonly at: number;
  readonly instance: string;
}

function setUp(count: number) {
  const book = new Book();
  const begun: Begun[] = [];
  let highest = 0;
  const processes = Array.from({ length: count }, (_, index) => {
    const instance = String.fromCharCode(97 + index);
    return new Simulated(book, instance, count, () => void begun.push({ at: performance.now(), instance }));
  });
  const run = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      for (const each of processes) each.step();
      await jest.advanceTimersByTimeAsync(STEP_MS);
      highest = Math.max(
        highest,
        processes.reduce((sum, each) => sum + each.rate, 0),
      );
    }
  };
  /** Calls a second in the last `ms`. */
  const rate = (ms: number, instance?: string): number => {
    const since = performance.now() - ms;
    const counted = begun.filter((call) => call.at >= since && (instance ?? call.instance) === call.instance);
    return (counted.length * 1000) / ms;
  };
  return { processes, begun, run, rate, highestSum: () => highest };
}

/** The most calls in any window of this length. */
function most(begun: readonly Begun[], windowMs: number): number {
  let first = 0;
  return begun.reduce((highest, { at }, index) => {
    while ((begun[first]?.at ?? at) <= at - windowMs) first += 1;
    return Math.max(highest, index - first + 1);
  }, 0);
}

describe('calls lent among processes', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([2, 3])('give a busy process of %i nearly the whole rate within a second', async (count) => {
    const { processes, run, rate } = setUp(count);
    const [busy] = processes as [Simulated];
    await run(4_000);
    busy.busy = true;
    await run(1_000);
    await run(4_000);
    expect(rate(4_000)).toBeGreaterThan(LIMIT * 0.85);
    expect(rate(4_000)).toBeLessThanOrEqual(LIMIT);
    expect(processes.slice(1).map(({ statements }) => statements)).toEqual(Array(count - 1).fill(1));
  });

  it('come back to a lender within two seconds', async () => {
    const { processes, run, rate } = setUp(2);
    const [one, other] = processes as [Simulated, Simulated];
    await run(4_000);
    one.busy = true;
    await run(4_000);
    other.busy = true;
    await run(2_000);
    await run(4_000);
    expect(rate(4_000, 'a')).toBeCloseTo(LIMIT / 2, 0);
    expect(rate(4_000, 'b')).toBeCloseTo(LIMIT / 2, 0);
  });

  it('are divided equally among borrowers', async () => {
    const { processes, run, rate } = setUp(3);
    const [one, other] = processes as [Simulated, Simulated];
    await run(4_000);
    one.busy = true;
    await run(2_000);
    other.busy = true;
    await run(4_000);
    await run(4_000);
    expect(rate(4_000, 'a')).toBeCloseTo(rate(4_000, 'b'), 0);
    expect(rate(4_000)).toBeGreaterThan(LIMIT * 0.85);
  });

  it('are lost by a borrower that dies within a second, and then borrowed by another', async () => {
    const { processes, run, rate } = setUp(3);
    const [one, other] = processes as [Simulated, Simulated];
    await run(4_000);
    one.busy = true;
    await run(2_000);
    one.die();
    other.busy = true;
    await run(2_000);
    await run(4_000);
    // Its share is lost until the others notice; what the third process lends is not.
    expect(rate(4_000, 'b')).toBeGreaterThan(11);
  });

  it('are not used without the database: a process then has its own share', async () => {
    const { processes, run, rate } = setUp(2);
    const [one, other] = processes as [Simulated, Simulated];
    await run(4_000);
    one.busy = true;
    await run(4_000);
    one.database = 'refuses';
    await run(1_000);
    await run(4_000);
    expect(rate(4_000)).toBeCloseTo(LIMIT / 2, 0);
    other.database = 'refuses';
    other.busy = true;
    await run(35_000);
    await run(4_000);
    expect([rate(4_000, 'a'), rate(4_000, 'b')].map(Math.round)).toEqual([10, 10]);
  });

  it('are not asked for by a process that is alone', async () => {
    const { processes, run } = setUp(1);
    const [only] = processes as [Simulated];
    await run(4_000);
    only.busy = true;
    await run(4_000);
    expect(only.statements).toBe(0);
  });

  it('never add up to more than the limit, whoever needs them, dies or loses the database', async () => {
    const event = fc.record({
      process: fc.nat({ max: 2 }),
      afterMs: fc.integer({ min: 0, max: 3_000 }),
      what: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('busy' as const, 'idle' as const) },
        { weight: 3, arbitrary: fc.constantFrom<Database>('works', 'refuses', 'loses the answer', 'answers slowly') },
        { weight: 1, arbitrary: fc.constant('dies' as const) },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 20 }), async (events) => {
        const { processes, begun, run, highestSum } = setUp(3);
        try {
          await run(3_000);
          for (const { process, afterMs, what } of events) {
            const subject = processes[process] as Simulated;
            if (what === 'dies') subject.die();
            else if (what === 'busy' || what === 'idle') subject.busy = what === 'busy';
            else subject.database = what;
            await run(afterMs);
          }
          expect(highestSum()).toBeLessThan(LIMIT + 1e-6);
          // As with equal shares, a process may begin one slice early: one call at these rates, two where a rate
          // changes.
          expect(most(begun, 1_000)).toBeLessThanOrEqual(LIMIT + 6);
          expect(most(begun, 10_000)).toBeLessThanOrEqual(10 * LIMIT + 6);
        } finally {
          for (const each of processes) each.die();
          await jest.runAllTimersAsync();
        }
      }),
      {
        numRuns: 60,
        // A loan became smaller, and its answer was lost.
        examples: [
          [
            [
              { process: 1, afterMs: 0, what: 'busy' as const },
              { process: 0, afterMs: 571, what: 'busy' as const },
              { process: 0, afterMs: 1, what: 'busy' as const },
              { process: 0, afterMs: 511, what: 'loses the answer' as const },
              { process: 1, afterMs: 1, what: 'works' as const },
            ],
          ],
        ],
      },
    );
  });
});
