import type { Change } from '../../storage/change-log/change.js';
import type { PushAnswer, PushError } from './push-answer.js';
import { errorOfFailure, errorOfStatus, retryAfterOf } from './push-answer.js';
import { lastSettled, planOf, type Sent, sampleOf, verdictOn } from './push-rules.js';

function change(number: number, account: number | null): Change {
  const common = { at: 0, kind: 'account', action: 'changed', origin: 'live', subject: 'x' } as const;
  return { ...common, number, account, resource: null, provider: null, samples: null };
}

function answer(error: PushError | null, more: Partial<PushAnswer> = {}): PushAnswer {
  return { error, status: error === null ? 200 : 500, durationMs: 1, ...more };
}

const sent = (...answers: PushAnswer[]): Sent[] =>
  answers.map((each, index) => ({ change: change(index + 1, index), answer: each }));

describe('a page of changes', () => {
  const changes = [change(1, 7), change(2, null), change(3, 7), change(4, 8), change(5, null)];

  it('is sent by account, in its order', () => {
    const { lanes, behind } = planOf(changes, new Set(), new Set());
    expect(lanes.map((lane) => lane.map(({ number }) => number))).toEqual([[1, 3], [2, 5], [4]]);
    expect(behind).toEqual([]);
  });

  it('waits behind earlier changes of the account, and is not sent twice', () => {
    const { lanes, behind } = planOf(changes, new Set([4]), new Set([7]));
    expect(lanes.map((lane) => lane.map(({ number }) => number))).toEqual([[2, 5]]);
    expect(behind.map(({ number }) => number)).toEqual([1, 3]);
  });

  it.each<[number[], number | null]>([
    [[], null],
    [[2, 3], null],
    [[1], 1],
    [[1, 2, 4, 5], 2],
    [[1, 2, 3, 4, 5], 5],
  ])('with %j settled moves the position to %p', (numbers, last) => {
    expect(lastSettled(changes, new Set(numbers))?.number ?? null).toBe(last);
  });
});

describe('the verdict', () => {
  it('blames accounts while something arrives', () => {
    expect(verdictOn(sent(answer(null), answer('timeout'), answer('status')))).toEqual({ then: 'go_on', pauseMs: 0 });
    expect(verdictOn([])).toEqual({ then: 'go_on', pauseMs: 0 });
  });

  it('blames the endpoint if nothing arrives, and keeps the longest pause it requested', () => {
    const slow = answer('status', { status: 503, retryAfterMs: 9_000 });
    expect(verdictOn(sent(answer('status'), slow))).toEqual({ then: 'retry_all', answer: slow });
  });

  it('pauses everyone if the receiver limits the rate', () => {
    const limited = answer('status', { status: 429, retryAfterMs: 5_000 });
    expect(verdictOn(sent(answer(null), limited))).toEqual({ then: 'go_on', pauseMs: 5_000 });
    const own = answer('status', { status: 500, retryAfterMs: 5_000 });
    expect(verdictOn(sent(answer(null), own))).toEqual({ then: 'go_on', pauseMs: 0 });
  });

  it('ends at a 410, whatever else arrived', () => {
    const gone = answer('gone', { status: 410 });
    expect(verdictOn(sent(answer(null), gone))).toEqual({ then: 'end', answer: gone });
  });
});

describe('a sample', () => {
  it('has each entry once', () => {
    expect(sampleOf([1, 2, 3], 5, () => 0.99).sort()).toEqual([1, 2, 3]);
    expect(sampleOf([1, 2, 3, 4], 2, () => 0)).toEqual([1, 2]);
  });
});

describe('a response', () => {
  it.each<[number, PushError | null]>([
    [200, null],
    [299, null],
    [302, 'redirect'],
    [400, 'status'],
    [410, 'gone'],
    [503, 'status'],
  ])('%d means %p', (status, error) => {
    expect(errorOfStatus(status)).toBe(error);
  });

  it('requests its pause in seconds or as a date, limited to a day', () => {
    const now = Date.UTC(2026, 10, 20, 12);
    expect(retryAfterOf('120', now)).toBe(120_000);
    expect(retryAfterOf('Fri, 20 Nov 2026 12:01:00 GMT', now)).toBe(60_000);
    expect(retryAfterOf('999999', now)).toBe(86_400_000);
    expect(retryAfterOf('soon', now)).toBeUndefined();
  });

  it.each<[object, PushError]>([
    [{ code: 'ECONNREFUSED' }, 'connection'],
    [{ code: 'EAI_AGAIN' }, 'connection'],
    [{ code: 'ENOTFOUND' }, 'name_unknown'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'tls'],
    [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'tls'],
    [{ name: 'AddressRefused' }, 'address_refused'],
  ])('that failed with %j is %s', (error, code) => {
    expect(errorOfFailure(error)).toBe(code);
  });
});
