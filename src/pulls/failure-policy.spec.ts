import { CursorRepeated } from '../upstream/cursor-guard.js';
import { UpstreamError, type UpstreamErrorFacts } from '../upstream-transport/upstream-error.js';
import { judge } from './failure-policy.js';

const fresh = { failures: 0, restarts: 0 };
const fullDelay = () => 0;

function upstream(facts: Partial<UpstreamErrorFacts>): UpstreamError {
  return new UpstreamError({ kind: 'rejected', reason: 'status', operation: 'GET /x', ...facts });
}

const absent = upstream({ status: 404, detail: { shape: 'text' } });
const unreadable = upstream({ kind: 'contract', reason: 'not_json' });

describe('after a failed page', () => {
  it.each([
    [
      'upstream is down',
      upstream({ kind: 'unavailable', status: 503 }),
      fresh,
      { then: 'defer', code: 'upstream_unavailable', delayMs: 1_000, pauseMs: 0 },
    ],
    [
      'it is down for the tenth time',
      upstream({ kind: 'unavailable' }),
      { failures: 9, restarts: 0 },
      { then: 'defer', code: 'upstream_unavailable', delayMs: 512_000, pauseMs: 0 },
    ],
    [
      'it is down for the thousandth time',
      upstream({ kind: 'unavailable' }),
      { failures: 999, restarts: 0 },
      { then: 'defer', code: 'upstream_unavailable', delayMs: 900_000, pauseMs: 0 },
    ],
    [
      'the circuit is open',
      upstream({ kind: 'unavailable', reason: 'circuit_open', retryAfterMs: 5_000 }),
      fresh,
      { then: 'defer', code: 'upstream_unavailable', delayMs: 5_000, pauseMs: 5_000 },
    ],
    [
      'upstream asks to slow down',
      upstream({ kind: 'throttled', status: 429, retryAfterMs: 90_000 }),
      fresh,
      { then: 'defer', code: 'upstream_throttled', delayMs: 90_000, pauseMs: 60_000 },
    ],
    [
      'the key is refused',
      upstream({ status: 401 }),
      fresh,
      { then: 'defer', code: 'upstream_unauthorized', delayMs: 1_000, pauseMs: 60_000 },
    ],
    ['the user is unknown', absent, fresh, { then: 'fail', code: 'unknown_user' }],
    [
      'the address is unknown',
      upstream({ status: 404, detail: { shape: 'plain_text' } }),
      fresh,
      { then: 'defer', code: 'upstream_rejected', delayMs: 1_000, pauseMs: 0 },
    ],
    ['the feature is not allowed', upstream({ status: 403 }), fresh, { then: 'fail', code: 'upstream_rejected' }],
    [
      'the answer cannot be read',
      unreadable,
      fresh,
      { then: 'defer', code: 'upstream_contract', delayMs: 1_000, pauseMs: 0 },
    ],
    [
      'the answer cannot be read for the fifth time',
      unreadable,
      { failures: 4, restarts: 0 },
      { then: 'fail', code: 'upstream_contract' },
    ],
    ['a fault of our own', new TypeError(), fresh, { then: 'defer', code: 'internal', delayMs: 1_000, pauseMs: 0 }],
    [
      'a fault of our own for the fifth time',
      new TypeError(),
      { failures: 4, restarts: 0 },
      { then: 'fail', code: 'internal' },
    ],
    ['a repeated cursor', new CursorRepeated(), fresh, { then: 'restart', code: 'cursor_repeated' }],
    [
      'a repeated cursor for the third time',
      new CursorRepeated(),
      { failures: 0, restarts: 2 },
      { then: 'fail', code: 'cursor_repeated' },
    ],
  ])('%s', (_, error, task, verdict) => {
    expect(judge(error, task, false, fullDelay)).toEqual(verdict);
  });

  it.each([400, 404, 422])('a cursor refused with %i begins the window again, twice at most', (status) => {
    const refusal = upstream({ status, detail: { shape: 'text' } });
    expect(judge(refusal, fresh, true)).toEqual({ then: 'restart', code: 'cursor_rejected' });
    expect(judge(refusal, { failures: 0, restarts: 2 }, true)).toEqual({ then: 'fail', code: 'cursor_rejected' });
  });

  it('a 422 without a cursor is final', () => {
    expect(judge(upstream({ status: 422 }), fresh, false)).toEqual({ then: 'fail', code: 'upstream_rejected' });
  });
});
