/** Where a walk over pages stands: pages stored so far and an earlier cursor to compare with. */
export interface Walk {
  readonly pages: number;
  readonly anchor: string | null;
}

/**
 * Brent's cycle check on upstream's cursors, with one cursor of memory. The anchor moves to the cursor of every page
 * whose number is a power of two, so any circle of cursors is met again after at most a few times its own length.
 * Answers the walk after a page that was asked for with `sent` and answered `next`; null when that went in a circle.
 */
export function follow(walk: Walk, sent: string | null, next: string): Walk | null {
  if (next === sent || next === walk.anchor) return null;
  const pages = walk.pages + 1;
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return { pages, anchor: isPowerOfTwo ? next : walk.anchor };
}
