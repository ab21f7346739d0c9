import { findingOf, type Ingestion, nextPull } from './next-pull.js';

const minute = 60_000;
const hour = 60 * minute;
const now = Date.UTC(2026, 10, 20, 12);

function said(attempt: number | null, newest: number | null): Ingestion {
  const before = (ago: number | null): number | null => (ago === null ? null : now - ago);
  return { lastAttemptAt: before(attempt), newestData: before(newest) };
}

describe('the finding about a stream', () => {
  // Given as how long ago: upstream's last attempt and newest record; our newest record and last pull.
  it.each<[string, Ingestion | null, number | null, number, ReturnType<typeof findingOf>]>([
    ['the newest record is stored', said(hour, 5 * hour), 5 * hour, 9 * hour, 'nothing_missing'],
    ['a record of ours ends after the newest upstream', said(hour, 5 * hour), 4 * hour, 9 * hour, 'nothing_missing'],
    ['upstream has a newer record', said(hour, 5 * hour), 6 * hour, 9 * hour, 'missing'],
    [
      'the newest record upstream is of a time to come, by which nothing can be told',
      said(hour, -15 * hour),
      5 * hour,
      9 * hour,
      'unknown',
    ],
    [
      'the newest record upstream is as far ahead as a clock can be',
      said(hour, -14 * hour),
      5 * hour,
      9 * hour,
      'missing',
    ],
    ['upstream has a first record', said(hour, 5 * hour), null, 9 * hour, 'missing'],
    [
      'a newer record was pulled for after upstream got it',
      said(hour, 5 * hour),
      6 * hour,
      hour / 2,
      'nothing_missing',
    ],
    ['the pull was too close to the attempt to tell', said(hour, 5 * hour), 6 * hour, hour - minute, 'missing'],
    ['a little newer record came in a minute ago', said(minute, 5 * minute), 20 * minute, 9 * hour, 'under_way'],
    ['so much cannot be under way', said(minute, 5 * minute), 2 * hour, 9 * hour, 'missing'],
    ['a first record came in a minute ago', said(minute, 5 * minute), null, 9 * hour, 'missing'],
    ['upstream names no attempt and has a newer record', said(null, 5 * hour), 6 * hour, 9 * hour, 'missing'],
    ['upstream names no attempt and the record is stored', said(null, 5 * hour), 5 * hour, 9 * hour, 'nothing_missing'],
    ['upstream asked and found nothing ever, nor did we', said(hour, null), null, 9 * hour, 'nothing_missing'],
    ['upstream names no record though there is one', said(hour, null), 5 * hour, 9 * hour, 'unknown'],
    ['upstream says nothing', said(null, null), null, 9 * hour, 'unknown'],
    ['upstream lists other streams of the source only', null, 5 * hour, 9 * hour, 'not_listed'],
  ])('%s', (_, listed, newest, pulled, finding) => {
    const stored = { newest: newest === null ? null : now - newest, coveredUntil: now - pulled };
    expect(findingOf(listed, stored, now)).toBe(finding);
  });
});

describe('the next pull', () => {
  const rule = { intervalMs: hour, longestMs: 24 * hour };
  // How long ago the last pull was, and in how long the next is due, before and after.
  const planned = (finding: ReturnType<typeof findingOf>, pulled: number, due: number): number | null => {
    const dueAt = nextPull(finding, { coveredUntil: now - pulled, nextDueAt: now + due }, rule, now);
    return dueAt === null ? null : dueAt - now;
  };

  it.each<[string, ReturnType<typeof findingOf>, number, number, number | null]>([
    ['is put off to the longest interval after the last', 'nothing_missing', hour / 2, hour / 2, 23.5 * hour],
    ['is put off by whole intervals, so that it keeps its place', 'nothing_missing', 0.7 * hour, hour / 2, 22.5 * hour],
    ['is put off as well where upstream takes nothing in', 'not_listed', hour / 2, hour / 2, 23.5 * hour],
    ['is never put off further', 'nothing_missing', hour / 2, 23.5 * hour, null],
    ['is not put off past the longest interval while it waits', 'nothing_missing', 25 * hour, hour / 2, null],
    ['is due now where something is missing', 'missing', 2 * hour, 20 * hour, 0],
    ['is due half an interval after the last at the earliest', 'missing', hour / 4, 20 * hour, hour / 4],
    ['stays where it is due already', 'missing', 2 * hour, -minute, null],
    ['stays while a webhook may bring the rest', 'under_way', 2 * hour, 20 * hour, null],
    ['is an interval after the last where nothing is known', 'unknown', hour / 2, hour, null],
    [
      'comes back into the interval, in its place, where nothing is known any more',
      'unknown',
      2 * hour,
      20.5 * hour,
      hour / 2,
    ],
  ])('%s', (_, finding, pulled, due, after) => {
    expect(planned(finding, pulled, due)).toBe(after);
  });

  it('is never further from the last one than the longest interval, for any finding at any time', () => {
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
