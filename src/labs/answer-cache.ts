import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.js';

/** `hit`: a kept answer. `shared`: an equal question was under way. `miss`: asked anew. */
export type CacheUse = 'hit' | 'shared' | 'miss';

export interface CacheRules<T> {
  /** What may be kept at once; `bytes` counts the answers as JSON, and their questions. */
  limits: { entries: number; bytes: number };
  /** Until when, in epoch milliseconds, an answer that came at `now` may be given again. */
  validUntil: (answer: T, now: number) => number;
  used: (use: CacheUse) => void;
}

interface Question<T> {
  ask: () => Promise<T>;
  keep: boolean;
}

interface Kept<T> {
  answer: T;
  at: number;
  until: number;
}

/**
 * Answers of one kind of question, in memory. Equal questions at one time are one call; a failure is for those who
 * waited for it and for nobody after them. An answer is handed to several callers and must not be changed.
 */
export class AnswerCache<T> {
  private readonly kept: LRUCache<string, Kept<T>, Question<T>>;

  constructor(
    private readonly clock: Clock,
    private readonly rules: CacheRules<T>,
  ) {
    this.kept = new LRUCache({
      max: rules.limits.entries,
      maxSize: rules.limits.bytes,
      sizeCalculation: ({ answer }, question) =>
        Buffer.byteLength(JSON.stringify(answer)) + Buffer.byteLength(question),
      perf: clock,
      ttlResolution: 0,
      // A call under way whose place is needed is still an answer for those who wait for it.
      ignoreFetchAbort: true,
      fetchMethod: async (_question, _stale, { options, context: { ask, keep } }) => {
        const answer = await ask();
        const at = clock.now();
        const until = keep ? rules.validUntil(answer, at) : at;
        // The library counts the last millisecond in, and takes 0 for no end.
        options.ttl = Math.max(1, until - at - 1);
        return { answer, at, until };
      },
    });
  }

  /**
   * The answer to `question`, from `ask` where none is kept or under way. Rejects with what `ask` rejects with. Without
   * `keep` it is for those who ask while it is under way, and for nobody after them.
   */
  async answer(question: string, ask: () => Promise<T>, { keep = true } = {}): Promise<T> {
    this.makeRoom(question);
    const status: LRUCache.Status<string, Kept<T>, Question<T>> = {};
    const asked = this.kept.forceFetch(question, { context: { ask, keep }, status });
    this.rules.used(status.fetch === 'hit' ? 'hit' : status.fetch === 'inflight' ? 'shared' : 'miss');
    return (await asked).answer;
  }

  /** Drops what is over before the library would drop what is not. A clock that was set back ends an answer too. */
  private makeRoom(question: string): void {
    const kept = this.kept.peek(question, { allowStale: true });
    const now = this.clock.now();
    if (kept && (now < kept.at || now >= kept.until)) this.kept.delete(question);
    if (!this.kept.has(question)) this.kept.purgeStale();
  }
}
