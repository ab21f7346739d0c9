import { cursorOf, faultOf, positionOf } from './cursor.js';

const position = { feed: '0123456789ab', number: 40, at: 1_790_000_000_000 };
const state = { feed: position.feed, lastNumber: 50, expiredNumber: 10, at: position.at };

describe('a cursor', () => {
  it('is read as it was written', () => {
    for (const number of [0, 1, 35, 36, Number.MAX_SAFE_INTEGER]) {
      expect(positionOf(cursorOf({ ...position, number }))).toEqual({ ...position, number });
    }
  });

  it.each(['', 'x', '0123456789ab', '0123456789ab-01-0', '0123456789ab-1-0-', '0123456789ab-zzzzzzzzzzz-0'])(
    'is nothing else: %p',
    (text) => {
      expect(positionOf(text)).toBeNull();
    },
  );

  it.each([
    ['where it stands', position, state, null],
    ['of the newest change', { ...position, number: 50 }, state, null],
    ['of the newest expired change', { ...position, number: 10 }, { ...state, at: null }, null],
    ['of a change that an erasure deleted', position, { ...state, at: null }, null],
    ['of an expired change', { ...position, number: 9 }, { ...state, at: null }, 'cursor_expired'],
    ['of another feed', { ...position, feed: 'ffffffffffff' }, state, 'feed_restarted'],
    ['after the newest change', { ...position, number: 51 }, { ...state, at: null }, 'cursor_ahead'],
    ['whose number another change has', position, { ...state, at: position.at + 1 }, 'feed_restarted'],
  ])('%s', (_, cursor, feed, fault) => {
    expect(faultOf(cursor, feed)).toBe(fault);
  });
});
