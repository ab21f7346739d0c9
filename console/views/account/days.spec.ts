import { longDay, weeksOfMonth } from './days.js';

describe('days', () => {
  it('names a date without a zone', () => {
    expect(longDay('2026-11-03')).toBe('Tue 3 Nov 2026');
  });

  it('arranges a month in weeks that start on Monday', () => {
    const weeks = weeksOfMonth('2026-11-17');
    // 1 November 2026 is a Sunday.
    expect(weeks[0]).toEqual([null, null, null, null, null, null, '2026-11-01']);
    expect(weeks.flat().filter(Boolean)).toHaveLength(30);
    expect(weeks.at(-1)).toEqual(['2026-11-30', null, null, null, null, null, null]);
    expect(weeksOfMonth('2028-02-29').flat().filter(Boolean)).toHaveLength(29);
  });
});
