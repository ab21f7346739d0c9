import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { judgeFetch, SeriesRefused } from './fetch-failure.js';

const operation = 'GET /v2/timeseries/workouts/{workout_id}/stream';
const absent = new UpstreamError({ kind: 'rejected', reason: 'status', operation, status: 404 });
const noJitter = () => 0;

describe('a stream that could not be had', () => {
  it('is asked for again for two hours while upstream does not know the workout', () => {
    const verdicts = Array.from({ length: 8 }, (_, failures) => judgeFetch(absent, failures, noJitter));
    const minutes = verdicts.map((verdict) => (verdict.then === 'defer' ? verdict.delayMs / 60_000 : null));
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, null]);
    expect(verdicts.at(-1)).toEqual({ then: 'fail', code: 'unknown_workout' });
  });

  it('is given up at once where it can never be stored', () => {
    expect(judgeFetch(new SeriesRefused('foreign_user'), 0)).toEqual({ then: 'fail', code: 'foreign_user' });
    const large = new UpstreamError({ kind: 'contract', reason: 'too_large', operation });
    expect(judgeFetch(large, 0)).toEqual({ then: 'fail', code: 'stream_too_large' });
    const refused = new UpstreamError({ kind: 'rejected', reason: 'status', operation, status: 403 });
    expect(judgeFetch(refused, 0)).toEqual({ then: 'fail', code: 'upstream_rejected' });
  });

  it('is waited for as long as upstream is down, and as long as it asks', () => {
    const down = new UpstreamError({ kind: 'unavailable', reason: 'status', operation, status: 503 });
    expect(judgeFetch(down, 99, noJitter)).toMatchObject({ then: 'defer', delayMs: 900_000 });
    const slower = new UpstreamError({
      ...{ kind: 'throttled', reason: 'status', operation, status: 429 },
      retryAfterMs: 40_000,
    });
    expect(judgeFetch(slower, 0)).toMatchObject({ then: 'defer', delayMs: 40_000, pauseMs: 40_000 });
  });
});
