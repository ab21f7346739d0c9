import { timeLabels } from './plot.js';

const HOUR = 3_600;
const seconds = (local: string): number => new Date(local).getTime() / 1_000;

describe('labels of a time axis', () => {
  it('show the day where it begins', () => {
    const night = seconds('2026-11-24T22:00');
    const labels = timeLabels([night, night + HOUR, night + 2 * HOUR, night + 3 * HOUR], HOUR);
    expect(labels).toEqual(['22:00\n24 Nov', '23:00', '00:00\n25 Nov', '01:00']);
  });

  it('of days show the year once', () => {
    const days = ['2025-12-30T00:00', '2025-12-31T00:00', '2026-01-01T00:00'].map(seconds);
    expect(timeLabels(days, 24 * HOUR).map((label) => label.split('\n')[1])).toEqual(['2025', undefined, '2026']);
  });
});
