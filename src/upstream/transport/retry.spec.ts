import fc from 'fast-check';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { priorities } from './budget.js';
import { type RetrySituation, readRetryAfter, retryDelay, Throttle } from './retry.js';
import { UpstreamError, type UpstreamErrorFacts, upstreamErrorKinds } from './upstream-error.js';

const now = new Date('2026-11-20T12:00:00.000Z').getTime();
const seconds = now / 1000;

describe('readRetryAfter', () => {
  it.each([
    ['seconds', '7', undefined, 7_000],
    ['a date', 'Fri, 20 Nov 2026 12:00:30 GMT', undefined, 30_000],
    ['a past date', 'Fri, 20 Nov 2026 11:00:00 GMT', undefined, 0],
    ['a reset time', undefined, String(seconds + 12), 12_000],
    ['a reset time with a fraction', undefined, `${seconds + 1}.5`, 1_500],
    ['a past reset time', undefined, String(seconds - 5), 0],
    ['Retry-After before the reset time', '3', String(seconds + 60), 3_000],
    ['the reset time when Retry-After is garbage', 'soon', String(seconds + 2), 2_000],
    ['nothing', undefined, undefined, undefined],
    ['garbage', '-', 'x', undefined],
    ['a negative number', '-5', undefined, undefined],
    ['a wait of days', '864000', undefined, 3_600_000],
  ])('reads %s [errors-and-limits#retry]', (_, retryAfter, rateLimitReset, expected) => {
    expect(readRetryAfter({ retryAfter, rateLimitReset, date: undefined }, now)).toBe(expected);
  });

  it.each([
    ['a date', { retryAfter: 'Fri, 20 Nov 2026 14:00:30 GMT', rateLimitReset: undefined }, 30_000],
    ['a reset time', { retryAfter: undefined, rateLimitReset: String(seconds + 7_212) }, 12_000],
    ['seconds', { retryAfter: '7', rateLimitReset: undefined }, 7_000],
  ])("counts %s from the response's date, whatever our clock shows [errors-and-limits#retry]", (_, wish, expected) => {
    expect(readRetryAfter({ ...wish, date: 'Fri, 20 Nov 2026 14:00:00 GMT' }, now)).toBe(expected);
    expect(readRetryAfter({ ...wish, date: 'garbage' }, now + 7_200_000)).toBe(expected);
  });
});

describe('a 429', () => {
  const clock = new FakeClock(now);
  const [pages, lists] = ['GET /pages', 'GET /lists'];
  let throttle: Throttle;
  let own: ThisProcess;

  beforeEach(() => {
    own = new ThisProcess('own');
    throttle = new Throttle(clock, own);
  });

  it('applies only to the operation and account until another account gets one [errors-and-limits#rate-limits]', () => {
    expect(throttle.saw(pages, 1, 30_000)).toBe(false);
    expect([throttle.pauseOf(pages, 1), throttle.pauseOf(pages, 2), throttle.pauseOf(lists, 1)]).toEqual([
      expect.closeTo(30_000),
      0,
      0,
    ]);
    expect(throttle.saw(pages, 1, 30_000)).toBe(false);
    expect(throttle.saw(pages, 2, 20_000)).toBe(true);
    expect([throttle.pauseOf(pages, 3), throttle.pauseOf(pages), throttle.pauseOf(lists)]).toEqual([
      expect.closeTo(20_000),
      expect.closeTo(20_000),
      0,
    ]);
  });

  it('of one account, long after that of another, applies to that account only', () => {
    throttle.saw(pages, 1, 5_000);
    clock.advance(5_000);
    expect(throttle.saw(pages, 2, 5_000)).toBe(false);
  });

  it('of a call for no account applies to every caller of the operation', () => {
    expect(throttle.saw(lists, undefined, 9_000)).toBe(true);
    expect([throttle.pauseOf(lists, 1), throttle.pauseOf(pages, 1)]).toEqual([expect.closeTo(9_000), 0]);
  });

  it('for all accounts applies to other processes once they read it, for at most a minute', () => {
    throttle.saw(lists, undefined, 9_000);
    throttle.saw(pages, 1, 9_000);
    const other = new ThisProcess('other');
    const there = new Throttle(clock, other);
    other.hear([own.pausesAt(clock.now()), { 'GET /far': clock.now() + 3_600_000 }]);
    expect([lists, pages, 'GET /far'].map((operation) => there.pauseOf(operation))).toEqual([9_000, 0, 60_000]);
    clock.advance(9_000);
    expect([there.pauseOf(lists), own.pausesAt(clock.now())]).toEqual([0, {}]);
  });

  it('pauses other calls for at most a minute, or for a second if it names no time', () => {
    throttle.saw(lists, undefined, 3_600_000);
    throttle.saw(pages, undefined);
    expect([throttle.pauseOf(lists), throttle.pauseOf(pages)]).toEqual([expect.closeTo(60_000), expect.closeTo(1_000)]);
    clock.advance(60_000);
    expect([throttle.pauseOf(lists), throttle.pauseOf(pages)]).toEqual([0, 0]);
  });
});

function error(facts: Partial<UpstreamErrorFacts>): UpstreamError {
  return new UpstreamError({ kind: 'unavailable', reason: 'status', operation: 'GET /x', status: 503, ...facts });
}

function situation(changes: Partial<RetrySituation> = {}): RetrySituation {
  return {
    rule: { tries: 3, backoff: { baseMs: 1_000, capMs: 60_000, factor: 2, jitter: 1 } },
    attempt: 1,
    repeatable: true,
    priority: 'interactive',
    remainingMs: 30_000,
    random: () => 0,
    ...changes,
  };
}

describe('retryDelay', () => {
  it('doubles the pause and subtracts a random share', () => {
    expect(retryDelay(error({}), situation({ attempt: 1 }))).toBe(1_000);
    expect(retryDelay(error({}), situation({ attempt: 2 }))).toBe(2_000);
    expect(retryDelay(error({}), situation({ attempt: 2, random: () => 0.75 }))).toBe(500);
  });

  it('adds the pause to the wait that upstream requested', () => {
    const throttled = error({ kind: 'throttled', status: 429, retryAfterMs: 4_000 });
    expect(retryDelay(throttled, situation())).toBe(5_000);
  });

  it('gives up if the wait would exceed the deadline', () => {
    const throttled = error({ kind: 'throttled', status: 429, retryAfterMs: 30_000 });
    expect(retryDelay(throttled, situation())).toBeNull();
  });

  it('returns every requested wait to background work', () => {
    for (const priority of ['background', 'bulk'] as const) {
      expect(retryDelay(error({ kind: 'throttled', status: 429 }), situation({ priority }))).toBeNull();
      expect(retryDelay(error({ retryAfterMs: 1 }), situation({ priority }))).toBeNull();
      expect(retryDelay(error({}), situation({ priority }))).toBe(1_000);
    }
  });

  it('does not wait for an open circuit or past a deadline', () => {
    expect(retryDelay(error({ reason: 'circuit_open' }), situation())).toBeNull();
    expect(retryDelay(error({ reason: 'deadline' }), situation())).toBeNull();
  });

  it('never retries a call that is not repeatable, refused, unreadable or out of tries', () => {
    fc.assert(
      fc.property(
        fc.record({
          kind: fc.constantFrom(...upstreamErrorKinds),
          repeatable: fc.boolean(),
          attempt: fc.integer({ min: 1, max: 5 }),
          priority: fc.constantFrom(...priorities),
          remainingMs: fc.integer({ min: 0, max: 60_000 }),
        }),
        ({ kind, ...changes }) => {
          const delay = retryDelay(error({ kind }), situation(changes));
          if (delay === null) return;
          expect(changes.repeatable && changes.attempt < 3).toBe(true);
          expect(['unavailable', 'throttled']).toContain(kind);
          expect(delay).toBeLessThan(changes.remainingMs);
        },
      ),
    );
  });
});
