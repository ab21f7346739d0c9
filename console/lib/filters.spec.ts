import { day, instant, oneOf, readFilters, text, whole, withFilters } from './filters.js';

const filters = { status: oneOf(['dead', 'done']), reason: text, day, from: instant, limit: whole };

describe('filters in the address', () => {
  it.each([
    ['?status=dead&reason=unknown_user', { status: 'dead', reason: 'unknown_user' }],
    ['?status=lost&limit=-1&day=2026-13-40&from=yesterday', {}],
    ['?status=&reason=', {}],
    [
      '?day=2026-11-03&from=2026-11-03T07:00:00.5%2B02:00&limit=20',
      { day: '2026-11-03', from: '2026-11-03T07:00:00.5+02:00', limit: 20 },
    ],
    ['?constructor=1&other=2', {}],
    ['', {}],
  ])('%s is %j', (search, values) => {
    expect(readFilters(search, filters)).toEqual(values);
  });

  it('keeps the filters that it does not change, always in the same order', () => {
    expect(withFilters('?status=dead&list=tasks', { reason: 'x y', status: undefined })).toBe('?list=tasks&reason=x+y');
    expect(withFilters('?status=dead', { status: undefined })).toBe('');
  });
});
