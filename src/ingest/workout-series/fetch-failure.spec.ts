import { erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { type Verdict, verdictOn } from '../../storage/work/retry.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { judgeFetch, SeriesRefused, seriesRetry } from './fetch-failure.js';

const operation = 'GET /v2/timeseries/workouts/{workout_id}/stream';
const absent = new UpstreamError({ kind: 'rejected', reason: 'status', operation, status: 404 });

function verdict(error: unknown, attempts: number, waits = 0): Verdict {
  return verdictOn(judgeFetch(error), { attempts, waits }, seriesRetry, () => 0);
}

describe('a stream that could not be fetched', () => {
  it('is requested again for 30 days while upstream does not know the workout', () => {
    const verdicts = Array.from({ length: 130 }, (_, tries) => verdict(absent, tries + 1));
    const hours = verdicts.map((each) => (each.then === 'defer' ? each.delayMs / 3_600_000 : 0));
    const days = hours.reduce((sum, each) => sum + each, 0) / 24;
    expect(Math.max(...hours)).toBe(6);
    expect(days).toBeGreaterThan(29);
    expect(days).toBeLessThan(31);
    expect(verdicts.at(-1)).toEqual({ then: 'bury', code: 'unknown_workout' });
  });

  it('is buried immediately if it can never be stored', () => {
    expect(verdict(new SeriesRefused('foreign_user'), 1)).toEqual({ then: 'bury', code: 'foreign_user' });
    expect(verdict(erasedError(), 1)).toEqual({ then: 'bury', code: 'account_gone' });
    const large = new UpstreamError({ kind: 'contract', reason: 'too_large', operation });
    expect(verdict(large, 1)).toEqual({ then: 'bury', code: 'stream_too_large' });
    const refused = new UpstreamError({ kind: 'rejected', reason: 'status', operation, status: 403 });
    expect(verdict(refused, 1)).toEqual({ then: 'bury', code: 'upstream_rejected' });
  });

  it('waits while upstream is down, and as long as upstream requests', () => {
    const down = new UpstreamError({ kind: 'unavailable', reason: 'status', operation, status: 503 });
    expect(verdict(down, 8, 99)).toMatchObject({ then: 'defer', delayMs: 900_000, counts: false });
    const slower = new UpstreamError({
      kind: 'throttled',
      reason: 'status',
      operation,
      status: 429,
      isForAll: true,
      retryAfterMs: 40_000,
    });
    expect(verdict(slower, 1)).toMatchObject({ then: 'defer', delayMs: 40_000, pauseMs: 40_000 });
  });
});
