import { AppError } from '../../platform/platform/errors.js';
import { WireShapeError } from '../../platform/platform/json-reader.js';
import { type Verdict, verdictOn } from '../../storage/work/retry.js';
import { judgeMessage, retry } from './message.outcomes.js';

const minute = 60_000;

const judge = (error: unknown, attempts: number, waits = 0, chance = 0): Verdict =>
  verdictOn(judgeMessage(error), { attempts, waits }, retry, () => chance);

describe('a failed message', () => {
  it('is tried twelve times over more than five hours, with pauses of at most an hour', () => {
    const pauses: number[] = [];
    for (let attempts = 1; attempts < 12; attempts += 1) {
      const verdict = judge(new Error('any'), attempts);
      if (verdict.then === 'bury') throw new Error('buried too early');
      expect(verdict).toMatchObject({ code: 'internal', counts: true, pauseMs: 0 });
      pauses.push(verdict.delayMs);
    }
    expect(pauses.slice(0, 4)).toEqual([5_000, 15_000, 45_000, 135_000]);
    expect(Math.max(...pauses)).toBe(60 * minute);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(5 * 60 * minute);
    expect(judge(new Error('any'), 12)).toEqual({ then: 'bury', code: 'internal' });
  });

  it('waits for the database without counting the attempt', () => {
    expect(judge(new AppError('storage_unavailable', 'x'), 12)).toMatchObject({ then: 'defer', counts: false });
  });

  it('waits longer each time, up to ten minutes', () => {
    const delays = [0, 1, 2, 99].map((waits) => judge(new AppError('storage_unavailable', 'x'), 1, waits));
    expect(delays).toMatchObject([
      { delayMs: 5_000 },
      { delayMs: 10_000 },
      { delayMs: 20_000 },
      { delayMs: 10 * minute },
    ]);
  });

  it('is buried immediately if it cannot be read', () => {
    expect(judge(new WireShapeError('data'), 1)).toEqual({ then: 'bury', code: 'unreadable_data' });
  });

  it('has a reason without text from the error', () => {
    expect(judge('a marked text', 1)).toMatchObject({ code: 'internal' });
    expect(judge(new TypeError('a marked text'), 12)).toEqual({ then: 'bury', code: 'internal' });
  });
});
