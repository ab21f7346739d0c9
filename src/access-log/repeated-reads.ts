import { recentlyUsed } from '../caches/recently-used.js';

/** So long the same read counts as a repetition of the first one. */
export const REPEATED_WITHIN_MS = 60_000;
/** Reads remembered; the oldest are forgotten first, and then recorded anew. */
const MOST_READS = 20_000;

interface FirstRead {
  readonly seq: number;
  readonly at: number;
}

/** Which entry of the last minute records the same read. In memory: a new process begins with none. */
export class RepeatedReads {
  private readonly firsts = recentlyUsed<string, FirstRead>(MOST_READS);

  /** The number of the entry that a read at this time repeats; null where it has to have an entry of its own. */
  find(key: string, at: number): number | null {
    const first = this.firsts.get(key);
    return first && at >= first.at && at - first.at < REPEATED_WITHIN_MS ? first.seq : null;
  }

  /** An entry that is durable. */
  remember(key: string, first: FirstRead): void {
    this.firsts.set(key, first);
  }
}
