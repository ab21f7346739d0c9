import { latenessOf } from './pull-streams.service.js';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 20);

describe('the newest whole window of a stream', () => {
  const late = (covered_until: number | null, next_due_at: number | null): number =>
    latenessOf({ covered_until, next_due_at, created_at: now - 2 * hour }, hour, now);

  it.each<[string, number | null, number | null, number]>([
    ['was pulled at the last slot', now - hour / 4, now + (3 * hour) / 4, 0],
    ['was pulled at once, so that the next slot is up to an interval and a half later', now - hour, now + hour / 2, 0],
    [
      'missed the last slot by 10 minutes, the next being 50 minutes away',
      now - hour - 600_000,
      now + 3_000_000,
      600_000,
    ],
    ['missed two slots', now - 2 * hour - 600_000, now + 3_000_000, hour + 600_000],
    ['is due and nobody has begun', now - hour - 60_000, now - 60_000, 60_000],
    ['is still missing since the source was connected', null, now + 600_000, 2 * hour],
    ['is of a stream that is not pulled', now - 9 * hour, null, 0],
  ])('%s', (_, coveredUntil, nextDueAt, lateness) => {
    expect(late(coveredUntil, nextDueAt)).toBe(lateness);
  });
});
