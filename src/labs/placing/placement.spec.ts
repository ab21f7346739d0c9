import { decide, type NewRequest } from '../keys/call-kind.js';
import type { KeyRow } from '../keys/idempotency-keys.repository.js';
import { placement } from './placement.js';

type ExistingRequest = Pick<KeyRow, 'state' | 'fingerprint' | 'open_since'>;

const hour = 3_600_000;
const now = 100 * hour;
const asking: NewRequest = { fingerprint: 'same', now, isCalling: false };
const standing = (more: Partial<ExistingRequest>): ExistingRequest => ({
  state: 'unknown',
  fingerprint: 'same',
  open_since: now - hour,
  ...more,
});

const verdict = (row: Partial<ExistingRequest>, more: Partial<NewRequest> = {}): unknown => {
  try {
    return decide(standing(row), { ...asking, ...more }, placement);
  } catch (error) {
    return (error as { code: unknown }).code;
  }
};

describe('a request with a used key', () => {
  const running = { state: 'calling' } as const;

  it.each<[string, Partial<ExistingRequest>, Partial<NewRequest>, string]>([
    ['returns the stored order once it is placed', { state: 'done' }, {}, 'done'],
    ['is refused while a call may be in progress', running, { isCalling: true }, 'placement_in_progress'],
    ['calls if the holder of the lease is gone', running, {}, 'call'],
    ['calls again if the outcome is unknown', {}, {}, 'call'],
    ['calls just before 23 hours', { open_since: now - 23 * hour + 1 }, {}, 'call'],
    ['does not call after 23 hours', { open_since: now - 23 * hour }, {}, 'placement_unresolved'],
    [
      'does not call after 23 hours even if the holder is gone',
      { ...running, open_since: now - 24 * hour },
      {},
      'placement_unresolved',
    ],
    ['returns a placed order after 23 hours too', { state: 'done', open_since: 0 }, {}, 'done'],
    ['calls after a refusal', { state: 'refused', open_since: null }, {}, 'call'],
  ])('%s', (_, row, more, expected) => {
    expect(verdict(row, more)).toBe(expected);
  });

  it.each<[Partial<ExistingRequest>, string]>([
    [{ state: 'done' }, 'idempotency_key_reused'],
    [running, 'idempotency_key_reused'],
    [{}, 'idempotency_key_reused'],
    [{ state: 'refused', open_since: null }, 'call'],
  ])('and another body, in the state %j, ends as %s', (row, expected) => {
    expect(verdict(row, { fingerprint: 'other' })).toBe(expected);
  });
});
