import type { TracedHealthRecord } from '../../lib/api.js';
import { barsOfDays, barsOfRecords } from './bars.js';

const sleep = (calendar_date: string, data: object, fields = {}): TracedHealthRecord =>
  ({ resource: 'sleep', calendar_date, source: { provider: 'oura', type: 'ring' }, data, ...fields }) as never;

describe('bars of nights', () => {
  it('are on their own day, after the night hollow for naps and short sleeps, without hidden records', () => {
    const bars = barsOfRecords(
      [
        sleep('2026-11-03', { type: 'acknowledged_nap', duration: 1_800, total: 1_500 }),
        sleep('2026-11-03', { type: 'long_sleep', duration: 28_000, total: 25_000 }),
        sleep('2026-11-04', { type: 'long_sleep', duration: 1_200, total: 1_100 }),
        sleep('2026-11-04', { type: 'long_sleep', duration: 28_000, total: 26_000 }, { gone: { reason: 'gone' } }),
        sleep('2026-11-05', { type: 'long_sleep', duration: 28_000, total: null }),
      ],
      'total',
    );
    expect(bars.map(({ day, high, isHollow }) => [day, high, isHollow])).toEqual([
      ['2026-11-03', 25_000, false],
      ['2026-11-03', 1_500, true],
      ['2026-11-04', 1_100, true],
    ]);
  });
});

describe('bars of daily numbers', () => {
  it('begin at zero for totals, and span the range of measures', () => {
    const range = { min: 48, max: 120, mean: 61 };
    expect(
      barsOfDays([
        { day: '2026-11-03', sum: 8_000 },
        { day: '2026-11-04', ...range },
        { day: '2026-11-05' },
        { day: '2026-11-06', systolic: { ...range }, diastolic: { min: 70, max: 80, mean: 75 } },
      ] as Parameters<typeof barsOfDays>[0]),
    ).toEqual([
      { day: '2026-11-03', low: 0, high: 8_000, isHollow: false, group: '' },
      { day: '2026-11-04', low: 48, high: 120, mark: 61, isHollow: false, group: '' },
      { day: '2026-11-06', low: 48, high: 120, mark: 61, isHollow: false, group: '' },
      { day: '2026-11-06', low: 70, high: 80, mark: 75, isHollow: true, group: '' },
    ]);
  });
});
