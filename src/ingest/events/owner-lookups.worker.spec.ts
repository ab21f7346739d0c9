import { AppError } from '../../platform/platform/errors.js';
import { type Verdict, verdictOn } from '../../storage/work/retry.js';
import { UpstreamError, type UpstreamErrorKind } from '../../upstream/transport/upstream-error.js';
import { judgeLookup, retry } from './owner-lookups.worker.js';
import { UnknownUser } from './owner-search.js';

function upstream(kind: UpstreamErrorKind, facts: { retryAfterMs?: number; status?: number } = {}): UpstreamError {
  return new UpstreamError({ kind, reason: 'status', operation: 'GET /v2/user/{user_id}', ...facts });
}

const judge = (error: unknown, attempts: number, waits = 0): Verdict =>
  verdictOn(judgeLookup(error), { attempts, waits }, retry, () => 0);

describe('a failed lookup', () => {
  it.each([
    ['is down', upstream('unavailable'), 'upstream_unavailable'],
    ['throttles', upstream('throttled'), 'upstream_throttled'],
    ['refuses our key', upstream('rejected', { status: 401 }), 'upstream_unauthorized'],
  ])('waits while upstream %s, like all others, without counting the attempt', (_, error, code) => {
    const verdict = judge(error, 12);
    expect(verdict).toMatchObject({ then: 'defer', code, counts: false });
    expect(verdict).toMatchObject({ pauseMs: expect.any(Number) as number });
    expect((verdict as { pauseMs: number }).pauseMs).toBeGreaterThan(0);
  });

  it('waits longer each time, up to two minutes, or as long as upstream requests', () => {
    const delays = [0, 1, 2, 99].map((waits) => judge(upstream('unavailable'), 1, waits));
    expect(delays).toMatchObject([{ delayMs: 5_000 }, { delayMs: 10_000 }, { delayMs: 20_000 }, { delayMs: 120_000 }]);
    expect(judge(upstream('throttled', { retryAfterMs: 3_600_000 }), 1)).toMatchObject({ delayMs: 3_600_000 });
  });

  it.each(['rejected', 'contract'] as const)('counts the attempt if the error is %s', (kind) => {
    expect(judge(upstream(kind), 1)).toMatchObject({ then: 'defer', code: `upstream_${kind}`, counts: true });
    expect(judge(upstream(kind), 12)).toEqual({ then: 'bury', code: `upstream_${kind}` });
  });

  it('ends after five attempts for a user unknown to upstream, and immediately for an id that cannot be stored', () => {
    expect(judge(new UnknownUser(), 4)).toMatchObject({ then: 'defer', code: 'unknown_user' });
    expect(judge(new UnknownUser(), 5)).toEqual({ then: 'bury', code: 'unknown_user' });
    const refused = new AppError('account_id_not_allowed', 'x');
    expect(judge(refused, 1)).toEqual({ then: 'bury', code: 'account_id_not_allowed' });
  });
});
