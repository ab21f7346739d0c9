import { timeLabels } from './plot.js';

const HOUR = 3_600;
const seconds = (local: string): number => new Date(local).getTime() / 1_000;

describe('labels of a time axis', () => {
  it('name the day where it begins, in the words of the reader', () => {
    const night = seconds('2026-11-24T22:00');
    const labels = timeLabels([night, night + HOUR, night + 2 * HOUR, night + 3 * HOUR], HOUR);
    const day = (text: string): string =>
      new Date(text).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
    expect(labels.map((label) => label.split('\n')[1])).toEqual([
      day('2026-11-24T12:00'),
      undefined,
      day('2026-11-25T12:00'),
      undefined,
    ]);
  });

  it('of days name the year once', () => {
    const days = ['2025-12-30T00:00', '2025-12-31T00:00', '2026-01-01T00:00'].map(seconds);
    expect(timeLabels(days, 24 * HOUR).map((label) => label.split('\n')[1])).toEqual(['2025', undefined, '2026']);
  });
});
