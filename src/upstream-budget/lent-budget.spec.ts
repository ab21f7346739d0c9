import { Budget } from './budget.js';
import { BorrowedBudget, BudgetLender } from './lent-budget.js';

const never = () => new AbortController().signal;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Two threads with one budget, whose messages go through a queue each, as through a port. */
function setUp(maxConcurrency: number) {
  const budget = new Budget({ maxConcurrency, requestsPerSecond: 1_000_000 });
  const lender = new BudgetLender(budget, (message) => setImmediate(() => borrowed.receive(message)));
  const borrowed: BorrowedBudget = new BorrowedBudget((message) => setImmediate(() => lender.receive(message)));
  return { budget, borrowed };
}

function job() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const state = { running: false, end, work: async () => {} };
  state.work = async () => {
    state.running = true;
    await ended;
    state.running = false;
  };
  return state;
}

async function turns(count = 6): Promise<void> {
  for (let round = 0; round < count; round++) await turn();
}

describe('a budget that another thread borrows from', () => {
  it('has both threads make no more calls at a time than one would', async () => {
    const { budget, borrowed } = setUp(2);
    const jobs = [job(), job(), job()];
    const calls = [
      budget.run({ priority: 'sign_in' }, never(), () => (jobs[0] as ReturnType<typeof job>).work()),
      borrowed.run({ priority: 'sign_in' }, never(), () => (jobs[1] as ReturnType<typeof job>).work()),
    ];
    await turns();
    calls.push(borrowed.run({ priority: 'sign_in' }, never(), () => (jobs[2] as ReturnType<typeof job>).work()));
    await turns();
    expect(jobs.map(({ running }) => running)).toEqual([true, true, false]);
    expect(budget.waiting('sign_in')).toBe(1);
    jobs[0]?.end();
    await turns();
    expect(jobs.map(({ running }) => running)).toEqual([false, true, true]);
    for (const { end } of jobs) end();
    await Promise.all(calls);
  });

  it('answers what the call answers, and its error', async () => {
    const { borrowed } = setUp(1);
    expect(await borrowed.run({ priority: 'bulk', account: 7 }, never(), async () => 'answer')).toBe('answer');
    await expect(
      borrowed.run({ priority: 'bulk' }, never(), () => Promise.reject(new Error('refused'))),
    ).rejects.toThrow('refused');
    expect(await borrowed.run({ priority: 'bulk' }, never(), async () => 'next')).toBe('next');
  });

  it('has no place for a caller who left while waiting, and goes on to the next', async () => {
    const { borrowed } = setUp(1);
    const first = job();
    const running = borrowed.run({ priority: 'background' }, never(), () => first.work());
    await turns();
    const left = new AbortController();
    const gone = borrowed.run({ priority: 'background' }, left.signal, async () => 'never');
    const next = borrowed.run({ priority: 'background' }, never(), async () => 'next');
    await turns();
    left.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    first.end();
    await running;
    expect(await next).toBe('next');
    await expect(borrowed.run({ priority: 'bulk' }, left.signal, async () => 'never')).rejects.toThrow('left');
  });

  it('gets its place back from a caller who left just when it was granted', async () => {
    const { borrowed } = setUp(1);
    const left = new AbortController();
    const gone = borrowed.run({ priority: 'background' }, left.signal, () => new Promise(() => undefined));
    await turn();
    left.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    expect(await borrowed.run({ priority: 'background' }, never(), async () => 'next')).toBe('next');
  });
});
