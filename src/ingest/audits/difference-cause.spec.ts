import type { ComparedDay } from './day-comparison.js';
import { afterRepair, causeOf, type KnownOfDay, type Repaired } from './difference-cause.js';

const known = (more: Partial<KnownOfDay>): KnownOfDay => ({
  before: null,
  isSettled: true,
  isRejected: false,
  ...more,
});
const proven = { state: 'proven', hash: 'a', cause: null } as const;

describe('the cause of a difference', () => {
  it.each([
    ['nothing was proven', known({}), 'upstream_changed'],
    ['no pull read the day', known({ isSettled: false }), 'late'],
    ['upstream has what was proven', known({ before: proven }), 'lost'],
    [
      'upstream has something else than what was proven',
      known({ before: { ...proven, hash: 'b' } }),
      'upstream_changed',
    ],
    [
      'it was our fault and nothing changed',
      known({ before: { ...proven, state: 'different', cause: 'mapping' } }),
      'mapping',
    ],
    ['it was known before', known({ before: { ...proven, state: 'different', cause: 'late' } }), 'upstream_changed'],
    ['a record cannot be stored', known({ before: proven, isRejected: true }), 'rejected'],
  ])('if %s', (_, facts, cause) => {
    expect(causeOf({ hash: 'a' }, facts)).toBe(cause);
  });
});

describe('the end of a repair', () => {
  const missing = { kind: 'missing', fields: [] } as const;
  const extra = { kind: 'extra', fields: [] } as const;
  const day = (more: Partial<ComparedDay>): ComparedDay => ({
    ...{ provider: 'oura', day: '2026-11-02', objects: 1, hash: 'a', isEqual: false, differences: [missing], ...more },
  });
  const repaired = (more: Partial<Repaired>): Repaired => ({
    ...{ row: { hash: 'a', cause: 'late', looks: 0 }, day: day({}), isPulled: true, hidesGone: true, ...more },
  });

  it.each([
    ['the day is equal', repaired({ day: day({ isEqual: true }) }), 'proven', 'late'],
    ['a complete pull changed nothing', repaired({}), 'different', 'mapping'],
    ['the pull failed', repaired({ isPulled: false }), 'different', 'late'],
    [
      'the record cannot be stored',
      repaired({ row: { hash: 'a', cause: 'rejected', looks: 0 } }),
      'different',
      'rejected',
    ],
    ['upstream changed meanwhile', repaired({ day: day({ hash: 'b' }) }), 'pull', 'late'],
    ['it changes all the time', repaired({ row: { hash: 'x', cause: 'late', looks: 3 } }), 'different', 'late'],
    ['a deletion is to be confirmed', repaired({ day: day({ differences: [extra] }) }), 'wait', 'late'],
    [
      'deletions are not followed',
      repaired({ day: day({ differences: [extra] }), hidesGone: false }),
      'different',
      'late',
    ],
  ])('if %s', (_, given, then, cause) => {
    expect(afterRepair(given)).toEqual({ then, cause });
  });
});
