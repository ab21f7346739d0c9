import { ByteBudget } from './byte-budget.js';

const HOUR_MS = 3_600_000;

describe('a byte budget', () => {
  it('lets in what fits, and the rest in its turn', async () => {
    const budget = new ByteBudget(10, HOUR_MS);
    const order: string[] = [];
    const first = await budget.take(6);
    const second = budget.take(6).then((giveBack) => {
      order.push('second');
      return giveBack;
    });
    const third = budget.take(1).then(() => order.push('third'));
    expect(order).toEqual([]);
    first?.();
    first?.();
    await third;
    expect(order).toEqual(['second', 'third']);
    (await second)?.();
  });

  it('lets in one that is larger than all of it, alone', async () => {
    const budget = new ByteBudget(10, HOUR_MS);
    const large = await budget.take(100);
    const next = budget.take(1);
    large?.();
    expect(await next).toBeInstanceOf(Function);
  });

  it('turns away who waited too long, and lets in those behind', async () => {
    jest.useFakeTimers();
    const budget = new ByteBudget(10, 1_000);
    await budget.take(8);
    const tooLarge = budget.take(8);
    jest.advanceTimersByTime(500);
    const behind = budget.take(2);
    jest.advanceTimersByTime(500);
    expect(await tooLarge).toBeNull();
    expect(await behind).toBeInstanceOf(Function);
    jest.useRealTimers();
  });
});
