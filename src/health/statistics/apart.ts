/*
 * Equal amounts of one device whose intervals overlap, of what a person does once at a time
 * (docs/meaning.md#totals-of-a-day): two devices that the source does not tell apart, or an interval that was sent
 * again with other bounds. Each goes to a track of its own, and the merge of tracks counts the time once.
 */

/** An interval in epoch milliseconds, with the traits that tell it from another of its time. */
export interface Counted {
  readonly start: number;
  readonly end: number;
  readonly traits: string;
}

/** Intervals that share at most this part of the shorter one follow each other, with imprecise bounds. */
const SLIVER = 1 / 10;

/** The amounts in lists without overlaps of equal traits; one list if there are none. `amounts` are sorted by start. */
export function apart<A extends Counted>(amounts: readonly A[]): A[][] {
  const lists: A[][] = [];
  /** For each list, the last interval of each traits. */
  const last: Map<string, Counted>[] = [];
  for (const one of amounts) {
    let at = 0;
    while (at < lists.length && overlap(last[at]?.get(one.traits), one)) at++;
    (lists[at] ??= []).push(one);
    (last[at] ??= new Map()).set(one.traits, one);
  }
  return lists;
}

function overlap(before: Counted | undefined, one: Counted): boolean {
  if (!before) return false;
  const [common, length] = [before.end - one.start, Math.min(before.end - before.start, one.end - one.start)];
  return length > 0 && common > SLIVER * length;
}
