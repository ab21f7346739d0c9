import { cursorOf, faultOf, positionOf } from './cursor.js';

const position = { feed: '0123456789ab', number: 40, at: 1_790_000_000_000 };
const feed = { id: 1, feed: position.feed, last_number: 50, expired_number: 10, history: null, departed_at: null };

describe('a cursor', () => {
  it('is read as it was written', () => {
    for (const number of [0, 1, 35, 36, Number.MAX_SAFE_INTEGER]) {
      expect(positionOf(cursorOf({ ...position, number }))).toEqual({ ...position, number });
    }
  });

  it.each(['', 'x', '0123456789ab', '0123456789ab-01-0', '0123456789ab-1-0-', '0123456789ab-zzzzzzzzzzz-0'])(
    'is not %p',
    (text) => {
      expect(positionOf(text)).toBeNull();
    },
  );

  it.each([
    ['where it stands', position, position.at, null],
    ['of the newest change', { ...position, number: 50 }, position.at, null],
    ['of the newest expired change', { ...position, number: 10 }, null, null],
    ['of a change that an erasure deleted', position, null, null],
    ['of an expired change', { ...position, number: 9 }, null, 'cursor_expired'],
    ['of another feed', { ...position, feed: 'ffffffffffff' }, position.at, 'feed_restarted'],
    ['after the newest change', { ...position, number: 51 }, null, 'cursor_ahead'],
    ['whose number another change has', position, position.at + 1, 'feed_restarted'],
  ])('%s', (_, cursor, at, fault) => {
    expect(faultOf(cursor, feed, at)).toBe(fault);
  });
});
