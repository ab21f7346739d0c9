/** Upstream's cursor came round again: following it would never end. */
export class CursorRepeated extends Error {
  constructor() {
    super('upstream repeated a cursor');
    this.name = 'CursorRepeated';
  }
}

/** How far paging has come: pages so far and an earlier cursor to compare with. */
export interface Paging {
  readonly pages: number;
  readonly anchor: string | null;
}

/**
 * Brent's cycle check on upstream's cursors, with one cursor of memory. The anchor moves to the cursor of every page
 * whose number is a power of two, so any circle of cursors is met again after at most a few times its own length.
 * Answers the paging after a page that was asked for with `sent` and answered `next`. Throws `CursorRepeated` when the
 * cursors go in a circle.
 */
export function follow(paging: Paging, sent: string | null, next: string): Paging {
  if (next === sent || next === paging.anchor) throw new CursorRepeated();
  const pages = paging.pages + 1;
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return { pages, anchor: isPowerOfTwo ? next : paging.anchor };
}
