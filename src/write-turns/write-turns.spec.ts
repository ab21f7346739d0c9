import fc from 'fast-check';
import { WriteTurns } from './write-turns.js';

function both(): { serving: WriteTurns; working: WriteTurns } {
  const memory = WriteTurns.memory();
  return { serving: new WriteTurns(memory, 'serving'), working: new WriteTurns(memory, 'working') };
}

/** What a promise has come to by now, after everything that was about to happen has happened. */
async function settledBy(turn: Promise<void>): Promise<boolean> {
  let isSettled = false;
  void turn.then(() => (isSettled = true));
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
  return isSettled;
}

/** The side of background work waits for a turn of the side of HTTP to end, and has the next one. */
async function workAfterServing(serving: WriteTurns, working: WriteTurns): Promise<void> {
  serving.tryTake();
  const waiting = working.take();
  await settledBy(waiting);
  serving.end();
  await waiting;
}

describe('turns of two threads to write', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('are had by one side at a time', () => {
    const { serving, working } = both();
    expect([serving.tryTake(), working.tryTake()]).toEqual([true, false]);
    serving.end();
    expect([working.tryTake(), serving.tryTake()]).toEqual([true, false]);
  });

  it('are handed to the side of HTTP at the end of the one that it waits for', async () => {
    const { serving, working } = both();
    working.tryTake();
    const waiting = serving.take();
    expect([await settledBy(waiting), working.isAwaited()]).toEqual([false, true]);
    working.end();
    expect(working.tryTake()).toBe(false);
    await waiting;
    serving.end();
    await working.take();
    expect(serving.tryTake()).toBe(false);
  });

  it('are left to who comes first by the side of HTTP, until the other one has waited for long', async () => {
    const { serving, working } = both();
    serving.tryTake();
    const waiting = working.take();
    await settledBy(waiting);
    serving.end();
    expect(serving.tryTake()).toBe(true);
    jest.advanceTimersByTime(25);
    serving.end();
    expect(serving.tryTake()).toBe(false);
    await waiting;
    working.end();
    expect(await settledBy(serving.take())).toBe(true);
  });

  it('that the other one has had end its wait', async () => {
    const { serving, working } = both();
    await workAfterServing(serving, working);
    jest.advanceTimersByTime(25);
    working.end();
    serving.tryTake();
    await settledBy(working.take());
    serving.end();
    expect(serving.tryTake()).toBe(true);
  });

  it('wake whoever waits, also where nobody hands anything over', async () => {
    const { serving, working } = both();
    await workAfterServing(serving, working);
    expect(serving.tryTake()).toBe(false);
  });

  it('come to everybody who asks, in whatever order, and never to two at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ isServing: fc.boolean(), pauses: fc.nat(3), ms: fc.nat(15) }), { maxLength: 40 }),
        async (steps) => {
          const sides = both();
          let holders = 0;
          let had = 0;
          const queues = { serving: Promise.resolve(), working: Promise.resolve() };
          for (const { isServing, pauses, ms } of steps) {
            const side = isServing ? 'serving' : 'working';
            queues[side] = queues[side].then(async () => {
              const turns = sides[side];
              if (!turns.tryTake()) await turns.take();
              holders += 1;
              expect(holders).toBe(1);
              for (let pause = 0; pause < pauses; pause++) await new Promise((resolve) => setImmediate(resolve));
              jest.advanceTimersByTime(ms);
              holders -= 1;
              had += 1;
              turns.end();
            });
          }
          await Promise.all([queues.serving, queues.working]);
          expect(had).toBe(steps.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
