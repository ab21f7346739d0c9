import fc from 'fast-check';
import { EndlessPages, follow, notBegun, type PageLimits } from './cursor-guard.js';

const limits: PageLimits = { pages: 1_000, emptyPages: 100, repeatedPages: 3 };
const unique = (index: number): string => `cursor ${index}`;
const news = (index: number): string => `page ${index}`;

interface Walk {
  readonly cursor?: (index: number) => string;
  readonly content?: (index: number) => string;
}

/** The page at which the guard stops a walk, and the code; null if it does not stop within `most` pages. */
function stopOf({ cursor = unique, content = news }: Walk, most: number): { page: number; code: string } | null {
  let paging = notBegun;
  for (let page = 0; page < most; page++) {
    try {
      const sent = page === 0 ? null : cursor(page - 1);
      paging = follow(paging, { sent, next: cursor(page), content: content(page) }, limits);
    } catch (error) {
      if (error instanceof EndlessPages) return { page, code: error.code };
      throw error;
    }
  }
  return null;
}

/** Number of pages before a cycle, and the length of the cycle. */
const circles = [fc.nat(60), fc.integer({ min: 1, max: 60 })] as const;
const inCircle = (lead: number, length: number) => (index: number) =>
  `page ${index < lead ? index : lead + ((index - lead) % length)}`;

describe('the cursor guard', () => {
  it('stops at a cursor that was just sent, and at the anchor', () => {
    const paging = { ...notBegun, pages: 3, anchor: 'a' };
    const page = { sent: 'c', content: 'x' };
    for (const next of ['a', 'c']) expect(() => follow(paging, { ...page, next }, limits)).toThrow(EndlessPages);
  });

  it('moves the anchor at page counts that are powers of two', () => {
    const third = { ...notBegun, pages: 3, anchor: 'a', anchorContent: 'x' };
    const fourth = follow(third, { sent: 'c', next: 'd', content: 'y' }, limits);
    expect(fourth).toMatchObject({ pages: 4, anchor: 'd', anchorContent: 'y' });
    const fifth = follow(fourth, { sent: 'd', next: 'e', content: 'z' }, limits);
    expect(fifth).toMatchObject({ pages: 5, anchor: 'd', anchorContent: 'y' });
  });

  it('stops in every cycle of cursors within four times its length and the pages before it', () => {
    fc.assert(
      fc.property(...circles, (lead, length) => {
        const stop = stopOf({ cursor: inCircle(lead, length) }, 4 * (lead + length) + 2);
        expect(stop?.code).toBe('cursor_repeated');
      }),
    );
  });

  it('stops in every cycle of pages with different cursors, at the fourth repeated page', () => {
    fc.assert(
      fc.property(...circles, (lead, length) => {
        expect(stopOf({ content: inCircle(lead, length) }, 8 * (lead + length) + 2)?.code).toBe('pages_repeated');
      }),
    );
  });

  it('stops after a hundred consecutive empty pages, and never after fewer', () => {
    expect(stopOf({ content: () => '' }, 1_000)).toEqual({ page: 100, code: 'pages_repeated' });
    expect(stopOf({ content: (index) => (index % 101 === 0 ? `page ${index}` : '') }, 999)).toBeNull();
  });

  it('never stops before the limit as long as cursors and pages differ', () => {
    fc.assert(fc.property(fc.nat(300), (most) => expect(stopOf({}, most)).toBeNull()));
    expect(stopOf({}, 2_000)).toEqual({ page: 999, code: 'too_many_pages' });
  });
});
