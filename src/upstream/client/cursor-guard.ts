/**
 * cursor_repeated: the cursors form a cycle. pages_repeated: the cursors differ, but the pages have nothing new.
 * too_many_pages: more pages than any window can have.
 */
export type EndlessCode = 'cursor_repeated' | 'pages_repeated' | 'too_many_pages';

/** Upstream's pages do not end. */
export class EndlessPages extends Error {
  override readonly name = 'EndlessPages';

  constructor(readonly code: EndlessCode) {
    super(`upstream's pages do not end: ${code}`);
  }
}

export interface Paging {
  readonly pages: number;
  /** An earlier cursor to compare with. */
  readonly anchor: string | null;
  /** Content of the page at that cursor. */
  readonly anchorContent: string | null;
  /** Consecutive empty pages. */
  readonly emptyPages: number;
  readonly repeatedPages: number;
}

export const notBegun: Paging = { pages: 0, anchor: null, anchorContent: null, emptyPages: 0, repeatedPages: 0 };

/** A page that is not the last. */
export interface ReadPage {
  /** The cursor it was requested with. */
  readonly sent: string | null;
  /** The cursor of the next page. */
  readonly next: string;
  /** Digest of the page's records; empty if there are none. */
  readonly content: string;
}

export interface PageLimits {
  readonly pages: number;
  readonly emptyPages: number;
  readonly repeatedPages: number;
}

/**
 * Brent's cycle detection on the cursors and the content of pages, with one page of memory. The anchor moves to every
 * page whose number is a power of two, which finds any cycle within a few times its length. Returns the state after a
 * page. Throws `EndlessPages` if the pages would not end.
 */
export function follow(paging: Paging, { sent, next, content }: ReadPage, limits: PageLimits): Paging {
  if (next === sent || next === paging.anchor) throw new EndlessPages('cursor_repeated');
  const pages = paging.pages + 1;
  if (pages >= limits.pages) throw new EndlessPages('too_many_pages');
  const emptyPages = content === '' ? paging.emptyPages + 1 : 0;
  const isRepeated = content !== '' && content === paging.anchorContent;
  const repeatedPages = paging.repeatedPages + (isRepeated ? 1 : 0);
  if (emptyPages > limits.emptyPages || repeatedPages > limits.repeatedPages) throw new EndlessPages('pages_repeated');
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  const anchored = isPowerOfTwo ? { anchor: next, anchorContent: content } : paging;
  return { pages, anchor: anchored.anchor, anchorContent: anchored.anchorContent, emptyPages, repeatedPages };
}
