import { findingOf, type Ingestion, nextPull } from './next-pull.js';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.UTC(2026, 10, 20, 12);

function said(attempt: number | null, newest: number | null): Ingestion {
  const before = (ago: number | null): number | null => (ago === null ? null : now - ago);
  return { lastAttemptAt: before(attempt), newestData: before(newest) };
}

describe('the finding about a stream', () => {
  // Given as ages: upstream's last attempt and newest record; our newest record and last pull.
  it.each<[string, Ingestion | null, number | null, number, ReturnType<typeof findingOf>]>([
    ['the newest record is stored', said(hour, 5 * hour), 5 * hour, 9 * hour, 'nothing_missing'],
    ['our newest record ends after upstream’s', said(hour, 5 * hour), 4 * hour, 9 * hour, 'nothing_missing'],
    ['upstream has a newer record', said(hour, 5 * hour), 6 * hour, 9 * hour, 'missing'],
    [
      'upstream’s newest record is in the future, which proves nothing',
      said(hour, -15 * hour),
      5 * hour,
      9 * hour,
      'unknown',
    ],
    [
      'upstream’s newest record is ahead by no more than a clock may be',
      said(hour, -14 * hour),
      5 * hour,
      9 * hour,
      'missing',
    ],
    ['upstream has a first record', said(hour, 5 * hour), null, 9 * hour, 'missing'],
    [
      'a pull after upstream received the newer record did not find it',
      said(hour, 5 * hour),
      6 * hour,
      hour / 2,
      'nothing_missing',
    ],
    ['the pull was too close to the attempt to prove it', said(hour, 5 * hour), 6 * hour, hour - minute, 'missing'],
    ['a slightly newer record arrived a minute ago', said(minute, 5 * minute), 20 * minute, 9 * hour, 'under_way'],
    ['a much newer record arrived a minute ago', said(minute, 5 * minute), 2 * hour, 9 * hour, 'missing'],
    ['a first record arrived a minute ago', said(minute, 5 * minute), null, 9 * hour, 'missing'],
    ['upstream reports no attempt and has a newer record', said(null, 5 * hour), 6 * hour, 9 * hour, 'missing'],
    ['upstream reports no attempt; the record is stored', said(null, 5 * hour), 5 * hour, 9 * hour, 'nothing_missing'],
    ['neither upstream nor we ever found a record', said(hour, null), null, 9 * hour, 'nothing_missing'],
    ['upstream reports no record but one is stored', said(hour, null), 5 * hour, 9 * hour, 'unknown'],
    ['upstream reports nothing', said(null, null), null, 9 * hour, 'unknown'],
    ['upstream lists only other streams of the source', null, 5 * hour, 9 * hour, 'not_listed'],
  ])('%s', (_, listed, newest, pulled, finding) => {
    const stored = { newest: newest === null ? null : now - newest, coveredUntil: now - pulled };
    expect(findingOf(listed, stored, now)).toBe(finding);
  });
});

describe('the next pull', () => {
  const rule = { intervalMs: hour, longestMs: 24 * hour };
  // Age of the last pull, and time until the next one, before and after.
  const planned = (finding: ReturnType<typeof findingOf>, pulled: number, due: number): number | null => {
    const dueAt = nextPull(finding, { coveredUntil: now - pulled, nextDueAt: now + due }, rule, now);
    return dueAt === null ? null : dueAt - now;
  };

  it.each<[string, ReturnType<typeof findingOf>, number, number, number | null]>([
    ['is postponed to the longest interval after the last', 'nothing_missing', hour / 2, hour / 2, 23.5 * hour],
    ['is postponed by whole intervals and keeps its slot', 'nothing_missing', 0.7 * hour, hour / 2, 22.5 * hour],
    ['is also postponed if upstream receives nothing', 'not_listed', hour / 2, hour / 2, 23.5 * hour],
    ['is never postponed further', 'nothing_missing', hour / 2, 23.5 * hour, null],
    ['is not postponed past the longest interval while it waits', 'nothing_missing', 25 * hour, hour / 2, null],
    ['is due now if something is missing', 'missing', 2 * hour, 20 * hour, 0],
    ['is due no earlier than half an interval after the last', 'missing', hour / 4, 20 * hour, hour / 4],
    ['stays if it is already due', 'missing', 2 * hour, -minute, null],
    ['stays while a webhook may still deliver the rest', 'under_way', 2 * hour, 20 * hour, null],
    ['is one interval after the last if nothing is known', 'unknown', hour / 2, hour, null],
    [
      'returns to its slot within one interval if nothing is known any more',
      'unknown',
      2 * hour,
      20.5 * hour,
      hour / 2,
    ],
  ])('%s', (_, finding, pulled, due, after) => {
    expect(planned(finding, pulled, due)).toBe(after);
  });

  it('is never more than the longest interval after the last one, for any finding at any time', () => {
    for (let pulled = 0; pulled < 30; pulled += 0.25) {
      for (let due = 0; due + pulled <= 24; due += 0.25) {
        for (const finding of ['nothing_missing', 'not_listed', 'under_way', 'missing', 'unknown'] as const) {
          const after = planned(finding, pulled * hour, due * hour) ?? due * hour;
          expect(after + pulled * hour).toBeLessThanOrEqual(24 * hour);
        }
      }
    }
  });
});
