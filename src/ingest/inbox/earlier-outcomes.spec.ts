import { outcomesIn, replayAdvice, withOutcome } from './earlier-outcomes.js';

describe('earlier outcomes of a message', () => {
  it('are read as they were written, and repeated failures replace each other', () => {
    const first = { at: 1, status: 'retry', reason: 'upstream_timeout' } as const;
    const text = [first, { ...first, at: 2 }, { ...first, at: 3, reason: 'internal' }].reduce<string | null>(
      withOutcome,
      null,
    );
    expect(outcomesIn(text)).toEqual([
      { ...first, at: 2 },
      { ...first, at: 3, reason: 'internal' },
    ]);
    expect(outcomesIn(null)).toEqual([]);
  });

  it('are the newest 20', () => {
    const all = Array.from({ length: 30 }, (_, at) => ({ at, status: 'retry' as const, reason: `r${at}` }));
    expect(outcomesIn(all.reduce<string | null>(withOutcome, null)).map(({ at }) => at)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 10),
    );
  });
});

describe('the advice on a replay', () => {
  it('is about messages that ended without an effect', () => {
    expect(replayAdvice('ignored', 'not_json')).toMatch(/cannot help/);
    expect(replayAdvice('dead', 'upstream_timeout')).toBeNull();
    expect(replayAdvice('retry', 'unknown_user')).toBeNull();
    expect(replayAdvice('done', null)).toBeNull();
  });
});
