import { inTurns, mapInTurns, yieldToEventLoop } from './event-loop.js';
import { withinRequest } from './request-context.js';

describe('own turn', () => {
  it('gives each simultaneous caller a turn, in order, with other work in between', async () => {
    const seen: string[] = [];
    const others = async (): Promise<void> => {
      for (let turn = 0; turn < 8; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push('.');
      }
    };
    const asked = ['a', 'b', 'c'].map(async (name) => {
      await yieldToEventLoop();
      seen.push(name);
    });
    await Promise.all([others(), ...asked]);
    expect(seen.filter((entry) => entry !== '.')).toEqual(['a', 'b', 'c']);
    expect(seen.join('')).toMatch(/a\.+b\.+c/);
  });

  it('comes for one computation of a caller after at most one of another caller that has many', async () => {
    const seen: string[] = [];
    const computes = (caller: string, steps: number): Promise<void> =>
      withinRequest({ caller }, async () => {
        for (let step = 0; step < steps; step++) {
          await yieldToEventLoop();
          seen.push(caller);
        }
      });
    await Promise.all([...Array.from({ length: 20 }, () => computes('many', 3)), computes('one', 3)]);
    expect(seen.lastIndexOf('one')).toBe(5);
  });
});

describe('a computation in turns', () => {
  it('goes on in another turn of the event loop after each pause', async () => {
    let turn = 0;
    const count = (): void => void (turn++ < 1_000 && setImmediate(count));
    setImmediate(count);
    function* parts(): Generator<void, number[]> {
      const turns = [turn];
      for (let part = 0; part < 3; part++) {
        yield;
        turns.push(turn);
      }
      return turns;
    }
    const turns = await inTurns(parts());
    expect(turns).toHaveLength(4);
    expect(new Set(turns).size).toBe(4);
  });
});

describe('mapping in turns', () => {
  it('keeps the order, and lets other work run if it takes long', async () => {
    let turns = 0;
    const count = (): void => void (turns++ < 1_000 && setImmediate(count));
    setImmediate(count);
    const slow = (n: number): number => {
      for (const until = performance.now() + 2; performance.now() < until; );
      return n * 2;
    };
    expect(await mapInTurns([1, 2, 3, 4, 5, 6, 7, 8, 9], slow)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18]);
    expect(turns).toBeGreaterThan(0);
  });
});
