import fc from 'fast-check';
import { resourceByName } from '../../health/catalogue/catalogue.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { padded, summaryPart, wholeHours } from './page-fetcher.js';

const sleep = resourceByName('sleep');
const profile = resourceByName('profile');
if (!sleep || !profile) throw new Error('the catalogue lacks sleep or profile');
const day = 86_400_000;
const now = Date.UTC(2026, 10, 20);

function parts(window: TimeRange): (TimeRange & { next: string | null })[] {
  const found = [summaryPart(sleep as NonNullable<typeof sleep>, window, null)];
  for (let cursor = found[0]?.next ?? null; cursor !== null; cursor = found.at(-1)?.next ?? null) {
    found.push(summaryPart(sleep as NonNullable<typeof sleep>, window, cursor));
  }
  return found;
}

describe('windows', () => {
  it('are padded by a second on both sides [timeseries#bounds-of-a-window]', () => {
    expect(padded({ start: 5_000, end: 9_000 })).toEqual({ start: 4_000, end: 10_000 });
  });

  it('of a range to pull again are the full hours around it', () => {
    const hour = 3_600_000;
    expect(wholeHours({ start: 5 * hour, end: 5 * hour + 1 })).toEqual({ start: 4 * hour, end: 6 * hour });
  });

  it('of summaries have parts of at most 30 days without gaps [summaries#no-paging] [webhooks#no-delete-events]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * day }), (length) => {
        const window = { start: now - length, end: now };
        const found = parts(window);
        expect(found[0]?.start).toBe(window.start);
        expect(found.at(-1)?.end).toBe(window.end);
        for (const [index, part] of found.entries()) {
          expect(part.end - part.start).toBeLessThanOrEqual(30 * day + 1_000);
          const before = found[index - 1];
          if (before) expect(part.start).toBeLessThan(before.end);
        }
      }),
    );
  });

  it('of the profile are one part of any length', () => {
    const window = { start: now - 400 * day, end: now };
    expect(summaryPart(profile, window, null)).toEqual({ ...window, next: null });
  });
});
