import { AppError } from '../../platform/platform/errors.js';
import { UpstreamError, type UpstreamErrorFacts } from '../../upstream/transport/upstream-error.js';
import { classify, isSpent, pauseFor, verdictOn } from './retry.js';

const retry = { pause: { baseMs: 1_000, capMs: 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 3 };
const noJitter = (): number => 0;
const upstream = (facts: Partial<UpstreamErrorFacts>): UpstreamError =>
  new UpstreamError({ kind: 'unavailable', reason: 'status', operation: 'GET /v2/user', ...facts });

describe('an error of work', () => {
  it.each<[string, unknown, object]>([
    ['upstream is down', upstream({}), { then: 'wait', code: 'upstream_unavailable', everybody: false }],
    [
      'upstream throttles',
      upstream({ kind: 'throttled', retryAfterMs: 7, isForAll: true }),
      { then: 'wait', code: 'upstream_throttled', retryAfterMs: 7, everybody: true },
    ],
    [
      'upstream throttles one account',
      upstream({ kind: 'throttled', retryAfterMs: 7 }),
      { then: 'wait', code: 'upstream_throttled', retryAfterMs: 7, everybody: false },
    ],
    ['the circuit is open', upstream({ reason: 'circuit_open' }), { then: 'wait', everybody: true }],
    [
      'the key is refused',
      upstream({ kind: 'rejected', status: 401 }),
      { then: 'wait', code: 'upstream_unauthorized', everybody: true },
    ],
    ['upstream refuses', upstream({ kind: 'rejected', status: 403 }), { then: 'final', code: 'upstream_rejected' }],
    ['an answer cannot be read', upstream({ kind: 'contract' }), { then: 'retry', code: 'upstream_contract' }],
    [
      'the store takes no writes',
      new AppError('storage_unavailable', ''),
      { then: 'wait', code: 'storage_unavailable' },
    ],
    ['we refuse', new AppError('not_found', ''), { then: 'final', code: 'not_found' }],
    ['the program has a fault', new TypeError(''), { then: 'retry', code: 'internal' }],
    ['something is thrown that is no error', 'x', { then: 'retry', code: 'internal' }],
  ])('that says that %s', (_, error, judgement) => {
    expect(classify(error)).toMatchObject(judgement);
  });
});

describe('work that failed', () => {
  const fresh = { attempts: 1, waits: 0 };

  it('waits for others without limit, with a growing pause and without using up attempts', () => {
    const delays = [0, 1, 2, 99].map((waits) => {
      return verdictOn({ then: 'wait', code: 'busy' }, { attempts: 3, waits }, retry, noJitter);
    });
    expect(delays).toMatchObject([
      { then: 'defer', counts: false, delayMs: 1_000 },
      { delayMs: 2_000 },
      { delayMs: 4_000 },
      { delayMs: 60_000 },
    ]);
  });

  it('is tried a few more times, then buried', () => {
    const verdicts = [1, 2, 3].map((attempts) => {
      return verdictOn({ then: 'retry', code: 'odd' }, { attempts, waits: 9 }, retry, noJitter);
    });
    expect(verdicts).toMatchObject([
      { then: 'defer', counts: true, delayMs: 1_000 },
      { then: 'defer', counts: true, delayMs: 2_000 },
      { then: 'bury', code: 'odd' },
    ]);
  });

  it('is buried immediately if no attempt can help', () => {
    expect(verdictOn({ then: 'final', code: 'refused' }, fresh, retry)).toEqual({ then: 'bury', code: 'refused' });
  });

  it('waits at least as long as upstream asked', () => {
    const judgement = { then: 'wait', code: 'busy', retryAfterMs: 5_000 } as const;
    expect(verdictOn(judgement, fresh, retry, noJitter)).toMatchObject({ delayMs: 5_000, pauseMs: 0 });
    expect(verdictOn({ ...judgement, retryAfterMs: 5 }, fresh, retry, noJitter)).toMatchObject({ delayMs: 1_000 });
  });

  it.each([
    [30_000, 30_000],
    [300_000, 60_000],
    [0, 1],
  ])('stops all other work as well if upstream asks every caller to wait %i ms', (retryAfterMs, pauseMs) => {
    const judgement = { then: 'wait', code: 'slow', retryAfterMs, everybody: true } as const;
    const delayMs = Math.max(1, retryAfterMs);
    expect(verdictOn(judgement, { attempts: 1, waits: 8 }, retry)).toMatchObject({ delayMs, pauseMs });
  });

  it('may have its own number of attempts and pause', () => {
    const own = { ...retry, pause: { ...retry.pause, baseMs: 9_000 }, mostAttempts: 2 };
    const judgement = { then: 'retry', code: 'absent', retry: own } as const;
    expect(verdictOn(judgement, fresh, retry, noJitter)).toMatchObject({ then: 'defer', delayMs: 9_000 });
    expect(verdictOn(judgement, { attempts: 2, waits: 0 }, retry)).toEqual({ then: 'bury', code: 'absent' });
  });

  it('is spent if it was claimed more often than allowed', () => {
    const held = { lease_owner: 'a holder' };
    expect([1, 3, 4].map((attempts) => isSpent({ ...held, attempts }, retry))).toEqual([false, false, true]);
  });

  it('is spent after five holders in a row ended without an outcome while it was alone', () => {
    const patient = { ...retry, mostAttempts: 99 };
    const afterEnds = [1, 4, 5].map((ends) => ({ attempts: ends + 1, lease_owner: `a holder~${ends}/${ends}` }));
    expect(afterEnds.map((held) => isSpent(held, patient))).toEqual([false, false, true]);
  });

  it('is not spent by holders that ended in company, unless there were very many', () => {
    const patient = { ...retry, mostAttempts: 99 };
    const afterEnds = [5, 29, 30].map((ends) => ({ attempts: 2, lease_owner: `a holder~${ends}/4+` }));
    expect(afterEnds.map((held) => isSpent(held, patient))).toEqual([false, false, true]);
  });

  it('is never spent by ended holders if it cannot be what ends them', () => {
    expect(isSpent({ attempts: 99, lease_owner: 'a holder~99/99' }, { ...retry, isHarmless: true })).toBe(false);
  });

  it('is tried again after a pause within the jitter', () => {
    expect(pauseFor(retry, 2, () => 1)).toBe(1_600);
    expect(pauseFor(retry, 2, noJitter)).toBe(2_000);
  });
});
