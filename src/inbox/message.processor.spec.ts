import { UnknownUser } from '../events/events.service.js';
import { AppError } from '../platform/errors.js';
import { WireShapeError } from '../platform/json-reader.js';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-transport/upstream-error.js';
import { outcomeOf } from './message.processor.js';

const minute = 60_000;
const full = (): number => 0;

function upstream(kind: UpstreamErrorKind, retryAfterMs?: number): UpstreamError {
  const facts = { kind, reason: 'status', operation: 'GET /v2/user/{user_id}' } as const;
  return new UpstreamError(retryAfterMs === undefined ? facts : { ...facts, retryAfterMs });
}

const judge = (error: unknown, attempts: number, ageMs = 0) => outcomeOf(error, { attempts, ageMs }, full);

describe('outcomeOf', () => {
  it('tries twelve times, over more than five hours, with pauses of at most one', () => {
    const pauses: number[] = [];
    for (let attempts = 1; attempts < 12; attempts += 1) {
      const failure = judge(new Error('any'), attempts);
      if (failure.status === 'dead') throw new Error('dead too early');
      expect(failure).toMatchObject({ reason: 'internal', counts: true });
      pauses.push(failure.delayMs);
    }
    expect(pauses.slice(0, 4)).toEqual([5_000, 15_000, 45_000, 135_000]);
    expect(Math.max(...pauses)).toBe(60 * minute);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(5 * 60 * minute);
    expect(judge(new Error('any'), 12)).toEqual({ status: 'dead', reason: 'internal' });
  });

  it.each([
    ['unavailable', 'upstream_unavailable'],
    ['throttled', 'upstream_throttled'],
  ] as const)('waits for an upstream that is %s without counting', (kind, reason) => {
    expect(judge(upstream(kind), 12)).toMatchObject({ status: 'retry', reason, counts: false });
  });

  it('waits for the store without counting', () => {
    expect(judge(new AppError('storage_unavailable', 'x'), 50)).toMatchObject({ status: 'retry', counts: false });
  });

  it.each([
    [0, 5_000],
    [minute, 30_000],
    [24 * 60 * minute, 10 * minute],
  ])('a message %i ms old waits %i ms', (ageMs, delayMs) => {
    expect(judge(upstream('unavailable'), 1, ageMs)).toMatchObject({ delayMs });
  });

  it('waits as long as upstream asks', () => {
    expect(judge(upstream('throttled', 3_600_000), 1)).toMatchObject({ delayMs: 3_600_000 });
  });

  it.each(['rejected', 'contract'] as const)('counts an upstream answer that is %s', (kind) => {
    expect(judge(upstream(kind), 1)).toMatchObject({ status: 'retry', reason: `upstream_${kind}`, counts: true });
    expect(judge(upstream(kind), 12)).toEqual({ status: 'dead', reason: `upstream_${kind}` });
  });

  it('gives up an unknown user after five attempts', () => {
    expect(judge(new UnknownUser(), 4)).toMatchObject({ status: 'retry', reason: 'unknown_user' });
    expect(judge(new UnknownUser(), 5)).toEqual({ status: 'dead', reason: 'unknown_user' });
  });

  it('gives up at once what cannot be read or stored', () => {
    expect(judge(new WireShapeError('data'), 1)).toEqual({ status: 'dead', reason: 'unreadable_data' });
    const refused = new AppError('account_id_not_allowed', 'x');
    expect(judge(refused, 1)).toEqual({ status: 'dead', reason: 'account_id_not_allowed' });
  });

  it('takes nothing of a text into its reason', () => {
    expect(judge('a marked text', 1)).toMatchObject({ reason: 'internal' });
    expect(judge(new TypeError('a marked text'), 12)).toEqual({ status: 'dead', reason: 'internal' });
  });

  it('shortens or lengthens pauses by at most a fifth', () => {
    const most = outcomeOf(new Error('any'), { attempts: 1, ageMs: 0 }, () => 1);
    expect(most).toMatchObject({ delayMs: 4_000 });
    const wait = outcomeOf(upstream('unavailable'), { attempts: 1, ageMs: 0 }, () => 1);
    expect(wait).toMatchObject({ delayMs: 6_000 });
  });
});
