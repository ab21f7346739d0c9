import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { FleetCounts } from './fleet-counts.js';

describe('counts of the fleet', () => {
  const clock = new FakeClock(1_000_000);
  let counts: FleetCounts;
  let stored: number;
  let made: number;

  beforeEach(() => {
    counts = new FleetCounts(clock);
    [stored, made] = [1, 0];
  });

  const of = async (took: number): Promise<number> => {
    const counting = (): Promise<number> => {
      made += 1;
      clock.advance(took);
      return Promise.resolve(stored);
    };
    return (await counts.of('rows', counting)).value;
  };

  it('are made for every call while they take little', async () => {
    expect(await of(5)).toBe(1);
    stored = 2;
    expect([await of(5), made]).toEqual([2, 2]);
  });

  it('are remembered for a hundred times as long as they took, and then made beside the call', async () => {
    expect(await of(400)).toBe(1);
    stored = 2;
    clock.advance(39_000);
    expect([await of(400), made]).toEqual([1, 1]);
    clock.advance(2_000);
    expect(await of(400)).toBe(1);
    await nextTurn();
    expect([await of(400), made]).toEqual([2, 2]);
  });

  it('say when they were made', async () => {
    const begun = clock.now();
    await of(400);
    clock.advance(30_000);
    expect(await counts.of('rows', () => Promise.reject(new Error('not counted')))).toMatchObject({ at: begun });
  });

  it('are made again before the call if nobody asked for five minutes', async () => {
    await of(400);
    stored = 2;
    clock.advance(301_000);
    expect(await of(400)).toBe(2);
  });

  it('stay as they were if making them again fails', async () => {
    await of(400);
    clock.advance(60_000);
    const failing = (): Promise<number> => Promise.reject(new Error('statement timeout'));
    expect((await counts.of('rows', failing)).value).toBe(1);
    await nextTurn();
    expect((await counts.of('rows', failing)).value).toBe(1);
    clock.advance(300_000);
    await expect(counts.of('rows', failing)).rejects.toThrow('statement timeout');
  });
});
