import { EndlessPages } from '../../upstream/client/cursor-guard.js';
import { UpstreamError, type UpstreamErrorFacts } from '../../upstream/transport/upstream-error.js';
import { verdictOnPull } from './failure-policy.js';

const fresh = { attempts: 1, waits: 0, restarts: 0 };
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
      { then: 'defer', code: 'upstream_unavailable', counts: false, delayMs: 1_000, pauseMs: 0 },
    ],
    [
      'upstream is down for the tenth time',
      upstream({ kind: 'unavailable' }),
      { attempts: 5, waits: 9, restarts: 0 },
      { then: 'defer', code: 'upstream_unavailable', counts: false, delayMs: 512_000, pauseMs: 0 },
    ],
    [
      'upstream is down for the thousandth time',
      upstream({ kind: 'unavailable' }),
      { attempts: 5, waits: 999, restarts: 0 },
      { then: 'defer', code: 'upstream_unavailable', counts: false, delayMs: 900_000, pauseMs: 0 },
    ],
    [
      'the circuit is open',
      upstream({ kind: 'unavailable', reason: 'circuit_open', retryAfterMs: 5_000 }),
      fresh,
      { then: 'defer', code: 'upstream_unavailable', counts: false, delayMs: 5_000, pauseMs: 5_000 },
    ],
    [
      'upstream asks to slow down',
      upstream({ kind: 'throttled', status: 429, retryAfterMs: 90_000, isForAll: true }),
      fresh,
      { then: 'defer', code: 'upstream_throttled', counts: false, delayMs: 90_000, pauseMs: 60_000 },
    ],
    [
      'the key is refused',
      upstream({ status: 401 }),
      fresh,
      { then: 'defer', code: 'upstream_unauthorized', counts: false, delayMs: 60_000, pauseMs: 60_000 },
    ],
    ['the user is unknown', absent, fresh, { then: 'bury', code: 'unknown_user' }],
    [
      'the address is unknown',
      upstream({ status: 404, detail: { shape: 'plain_text' } }),
      fresh,
      { then: 'defer', code: 'upstream_rejected', counts: true, delayMs: 1_000, pauseMs: 0 },
    ],
    ['the feature is not allowed', upstream({ status: 403 }), fresh, { then: 'bury', code: 'upstream_rejected' }],
    [
      'the response cannot be read',
      unreadable,
      fresh,
      { then: 'defer', code: 'upstream_contract', counts: true, delayMs: 1_000, pauseMs: 0 },
    ],
    [
      'the response cannot be read for the fifth time',
      unreadable,
      { attempts: 5, waits: 0, restarts: 0 },
      { then: 'bury', code: 'upstream_contract' },
    ],
    [
      'a fault of our own',
      new TypeError(),
      fresh,
      { then: 'defer', code: 'internal', counts: true, delayMs: 1_000, pauseMs: 0 },
    ],
    [
      'a fault of our own for the fifth time',
      new TypeError(),
      { attempts: 5, waits: 0, restarts: 0 },
      { then: 'bury', code: 'internal' },
    ],
    ['a repeated cursor', new EndlessPages('cursor_repeated'), fresh, { then: 'restart', code: 'cursor_repeated' }],
    ['repeated pages', new EndlessPages('pages_repeated'), fresh, { then: 'restart', code: 'pages_repeated' }],
    [
      'more pages than are possible',
      new EndlessPages('too_many_pages'),
      fresh,
      { then: 'bury', code: 'too_many_pages' },
    ],
    [
      'a repeated cursor for the third time',
      new EndlessPages('cursor_repeated'),
      { attempts: 1, waits: 0, restarts: 2 },
      { then: 'bury', code: 'cursor_repeated' },
    ],
  ])('%s', (_, error, task, verdict) => {
    expect(verdictOnPull(error, task, false, fullDelay)).toEqual(verdict);
  });

  it.each([400, 404, 422])('a cursor refused with %i restarts the window, at most twice', (status) => {
    const refusal = upstream({ status, detail: { shape: 'text' } });
    expect(verdictOnPull(refusal, fresh, true)).toEqual({ then: 'restart', code: 'cursor_rejected' });
    expect(verdictOnPull(refusal, { attempts: 1, waits: 0, restarts: 2 }, true)).toEqual({
      then: 'bury',
      code: 'cursor_rejected',
    });
  });

  it('a 422 without a cursor is final', () => {
    expect(verdictOnPull(upstream({ status: 422 }), fresh, false)).toEqual({ then: 'bury', code: 'upstream_rejected' });
  });
});
