import fc from 'fast-check';
import { CursorRepeated, follow, type Paging } from './cursor-guard.js';

/** Pages followed until the guard stops, or null when it never does within `most`. */
function stopsAfter(cursors: (index: number) => string, most: number): number | null {
  let paging: Paging = { pages: 0, anchor: null };
  for (let page = 0; page < most; page++) {
    try {
      paging = follow(paging, page === 0 ? null : cursors(page - 1), cursors(page));
    } catch (error) {
      if (error instanceof CursorRepeated) return page;
      throw error;
    }
  }
  return null;
}

describe('the cursor guard', () => {
  it('stops at a cursor that was just sent', () => {
    expect(() => follow({ pages: 3, anchor: 'a' }, 'c', 'c')).toThrow(CursorRepeated);
  });

  it('stops at the anchor', () => {
    expect(() => follow({ pages: 3, anchor: 'a' }, 'c', 'a')).toThrow(CursorRepeated);
  });

  it('moves the anchor at page counts that are powers of two', () => {
    expect(follow({ pages: 3, anchor: 'a' }, 'c', 'd')).toEqual({ pages: 4, anchor: 'd' });
    expect(follow({ pages: 4, anchor: 'd' }, 'd', 'e')).toEqual({ pages: 5, anchor: 'd' });
  });

  it('stops in every circle within four times what led into it and its length', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 60 }), (lead, length) => {
        const most = 4 * (lead + length) + 2;
        const cursor = (index: number) => String(index < lead ? index : lead + ((index - lead) % length));
        expect(stopsAfter(cursor, most)).not.toBeNull();
      }),
    );
  });

  it('never stops as long as cursors differ', () => {
    fc.assert(fc.property(fc.nat(300), (most) => expect(stopsAfter(String, most)).toBeNull()));
  });
});
