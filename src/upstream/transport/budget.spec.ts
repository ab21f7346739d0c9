import fc from 'fast-check';
import { type Clock, SystemClock } from '../../platform/platform/clock.js';
import { Budget, type BudgetLimits, type Priority, priorities, rateSlice, shareOf } from './budget.js';

const alone = { sharers: 1 };
const budgetOf = (limits: BudgetLimits, process = alone, clock: Clock = new SystemClock()) =>
  new Budget(limits, process, clock);
const never = () => new AbortController().signal;
const fast = { requestsPerSecond: 1_000_000 };

interface Job {
  priority: Priority;
  account: number | undefined;
  started: Promise<void>;
  end: () => void;
  done: Promise<void>;
}

/** Jobs that run until their `end` is called, and the order in which they started. */
function setUp(maxConcurrency: number) {
  const budget = budgetOf({ maxConcurrency, ...fast });
  const startOrder: Job[] = [];
  const running = new Set<Job>();
  const add = (priority: Priority, signal = never(), account?: number): Job => {
    let begun: () => void = () => undefined;
    let end: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const ended = new Promise<void>((resolve) => (end = resolve));
    const job = { priority, account, started, end, done: Promise.resolve() };
    job.done = budget.run({ priority, account }, signal, async () => {
      startOrder.push(job);
      running.add(job);
      begun();
      await ended;
      running.delete(job);
    });
    return job;
  };
  return { budget, add, startOrder, running };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Budget', () => {
  it.each([1, 2, 8])('starts an interactive call before all waiting bulk calls, with %i slots', async (slots) => {
    const { add, startOrder } = setUp(slots);
    const jobs = Array.from({ length: 1_000 }, () => add('bulk'));
    await turn();
    const before = startOrder.length;
    const interactive = add('interactive');
    if (slots === 1) jobs[0]?.end();
    await interactive.started;
    expect(startOrder[before]).toBe(interactive);
    for (const job of [...jobs, interactive]) job.end();
    await Promise.all([...jobs, interactive].map((job) => job.done));
    expect(startOrder).toHaveLength(1_001);
  });

  it('reserves one of several slots for interactive calls, and another for sign-ins', async () => {
    const { add, running } = setUp(4);
    const background = [add('bulk'), add('bulk'), add('background'), add('bulk')];
    await turn();
    expect(running.size).toBe(2);
    const interactive = [add('interactive'), add('interactive')];
    await turn();
    expect([...running].map((job) => job.priority)).toEqual(['bulk', 'bulk', 'interactive']);
    interactive.push(add('sign_in'), add('sign_in'));
    await turn();
    expect([...running].map((job) => job.priority)).toEqual(['bulk', 'bulk', 'interactive', 'sign_in']);
    for (const job of [...background, ...interactive]) job.end();
    await Promise.all([...background, ...interactive].map((job) => job.done));
  });

  it('starts background before bulk', async () => {
    const { add, startOrder } = setUp(1);
    const jobs = [add('bulk'), add('bulk'), add('background')];
    for (const job of jobs) job.end();
    await Promise.all(jobs.map((job) => job.done));
    expect(startOrder.map((job) => job.priority)).toEqual(['bulk', 'background', 'bulk']);
  });

  it('lets accounts take turns, however many calls one has waiting; calls for no account share one turn', async () => {
    const { add, startOrder } = setUp(1);
    const first = add('bulk', never(), 1);
    await first.started;
    const greedy = [1, 2, 3, 4].map(() => add('bulk', never(), 1));
    const others = [2, 3, undefined].map((account) => add('bulk', never(), account));
    const jobs = [first, ...greedy, ...others];
    for (const job of jobs) job.end();
    await Promise.all(jobs.map((job) => job.done));
    expect(startOrder.map((job) => job.account)).toEqual([1, 1, 2, 3, undefined, 1, 1, 1]);
  });

  it('never runs more calls than it has slots, whatever their priorities [errors-and-limits#rate-limits]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.constantFrom(...priorities), { maxLength: 40 }),
        async (slots, mix) => {
          const { add, running, startOrder } = setUp(slots);
          const jobs = mix.map((priority) => add(priority));
          while (startOrder.length < jobs.length || running.size > 0) {
            await turn();
            expect(running.size).toBeLessThanOrEqual(slots);
            const of = (wanted: readonly string[]): number =>
              [...running].filter((job) => wanted.includes(job.priority)).length;
            expect(of(['background', 'bulk'])).toBeLessThanOrEqual(Math.max(1, slots - (slots < 3 ? 1 : 2)));
            expect(of(['interactive', 'background', 'bulk'])).toBeLessThanOrEqual(slots - (slots < 3 ? 0 : 1));
            for (const job of running) job.end();
          }
          await Promise.all(jobs.map((job) => job.done));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('drops a waiting call immediately if its signal aborts, and never starts it', async () => {
    const { add, budget, startOrder } = setUp(1);
    const first = add('bulk');
    const caller = new AbortController();
    const waiting = [add('bulk', caller.signal), add('interactive', caller.signal)];
    const refusals = Promise.all(waiting.map((job) => expect(job.done).rejects.toThrow('not needed any more')));
    expect(budget.waiting('bulk') + budget.waiting('interactive')).toBe(2);
    caller.abort(new Error('not needed any more'));
    await refusals;
    first.end();
    await first.done;
    const last = add('bulk');
    last.end();
    await last.done;
    expect(startOrder).toEqual([first, last]);
  });

  it('does not count calls whose callers have left against the rate', async () => {
    const budget = budgetOf({ maxConcurrency: 1, requestsPerSecond: 1 });
    let end: () => void = () => undefined;
    const first = budget.run({ priority: 'interactive' }, never(), () => new Promise<void>((ended) => (end = ended)));
    const left = Array.from({ length: 50 }, () => {
      const caller = new AbortController();
      const call = budget.run({ priority: 'interactive' }, caller.signal, async () => undefined);
      caller.abort(new Error('left'));
      return call.catch(() => 'left');
    });
    expect(new Set(await Promise.all(left))).toEqual(new Set(['left']));
    end();
    await first;
    // At one call per second, this would take fifty seconds if the others had counted.
    await budget.run({ priority: 'interactive' }, never(), async () => undefined);
    expect(budget.waiting('interactive')).toBe(0);
  });

  it('counts the calls that began in the last minute, by priority', async () => {
    const clock = { now: () => 0, monotonic: () => at };
    let at = 0;
    const budget = budgetOf({ maxConcurrency: 4, ...fast }, alone, clock);
    const call = (priority: Priority): Promise<void> => budget.run({ priority }, never(), async () => undefined);
    await Promise.all([call('bulk'), call('bulk'), call('sign_in')]);
    at = 50_000;
    await call('bulk');
    expect(priorities.map((priority) => budget.beganLately(priority))).toEqual([1, 0, 0, 3]);
    at = 60_000;
    expect(priorities.map((priority) => budget.beganLately(priority))).toEqual([0, 0, 0, 1]);
  });

  it('continues after the system clock was set back', async () => {
    jest.useFakeTimers();
    try {
      const budget = budgetOf({ maxConcurrency: 4, requestsPerSecond: 10 });
      const call = (): Promise<string> => budget.run({ priority: 'interactive' }, never(), async () => 'made');
      const first = call();
      await jest.advanceTimersByTimeAsync(10_000);
      await first;
      jest.setSystemTime(jest.now() - 4 * 3_600_000);
      let second = 'waiting';
      void call().then((made) => (second = made));
      await jest.advanceTimersByTimeAsync(1000);
      expect(second).toBe('made');
    } finally {
      jest.useRealTimers();
    }
  });

  it('rejects a call whose signal was already aborted', async () => {
    const { budget } = setUp(1);
    const task = jest.fn();
    await expect(budget.run({ priority: 'bulk' }, AbortSignal.abort(new Error('over')), task)).rejects.toThrow('over');
    expect(task).not.toHaveBeenCalled();
  });

  it('rethrows the error of a task and frees its slot', async () => {
    const budget = budgetOf({ maxConcurrency: 1, ...fast });
    const failing = budget.run({ priority: 'interactive' }, never(), () => Promise.reject(new Error('from the task')));
    await expect(failing).rejects.toThrow('from the task');
    await expect(budget.run({ priority: 'bulk' }, never(), async () => 7)).resolves.toBe(7);
  });
});

describe('a budget shared by several processes', () => {
  const whole = { maxConcurrency: 8, requestsPerSecond: 20 };

  it('is divided into shares that do not exceed the total, but allow at least two concurrent calls', () => {
    for (let sharers = 1; sharers <= 9; sharers++) {
      const share = shareOf(whole, sharers);
      expect(sharers * share.requestsPerSecond).toBeCloseTo(whole.requestsPerSecond);
      expect(share.maxConcurrency).toBeGreaterThanOrEqual(2);
      if (sharers <= 4) expect(sharers * share.maxConcurrency).toBeLessThanOrEqual(whole.maxConcurrency);
    }
    expect(shareOf({ ...whole, maxConcurrency: 1 }, 3).maxConcurrency).toBe(1);
  });

  it('is divided again when a process joins or leaves', async () => {
    const process = { sharers: 1 };
    const budget = budgetOf({ maxConcurrency: 8, ...fast }, process);
    const running = new Set<() => void>();
    const start = (): Promise<void> =>
      budget.run({ priority: 'bulk' }, never(), () => new Promise<void>((end) => void running.add(end)));
    const atOnce = async (sharers: number): Promise<number> => {
      process.sharers = sharers;
      const calls = Array.from({ length: 20 }, start);
      await turn();
      const count = running.size;
      while (budget.waiting('bulk') > 0 || running.size > 0) {
        for (const end of running) end();
        running.clear();
        await turn();
      }
      await Promise.all(calls);
      return count;
    };
    expect([await atOnce(1), await atOnce(4), await atOnce(2)]).toEqual([6, 1, 2]);
  });
});

describe('rateSlice', () => {
  it('is exact, and shorter than 200 ms from 10 calls per second up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), (rate) => {
        const { starts, intervalMs } = rateSlice(rate);
        expect((starts * 1000) / intervalMs).toBeCloseTo(rate);
        if (rate >= 10) expect(intervalMs).toBeLessThan(200);
      }),
    );
    expect(rateSlice(20)).toEqual({ starts: 2, intervalMs: 100 });
  });
});
