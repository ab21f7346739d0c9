import { scheduledWindow } from './scheduled-window.js';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 20);
const rule = { lookbackHours: 48, backfillDays: 90 };

describe('windows of regular pulls', () => {
  it('begin with the backfill when nothing was pulled', () => {
    expect(scheduledWindow(null, now, rule)).toEqual({ start: now - 90 * day, end: now });
  });

  it('begin one look-back before the high-water mark', () => {
    expect(scheduledWindow(now - day, now, rule)).toEqual({ start: now - 3 * day, end: now });
  });

  it('begin one look-back before now if the high-water mark is from before the clock was set back', () => {
    expect(scheduledWindow(now + 10 * day, now, rule)).toEqual({ start: now - 2 * day, end: now });
  });
});
