import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/platform/clock.js';

/** `hit`: cached. `shared`: joined an identical call in progress. `miss`: called upstream. */
export type CacheUse = 'hit' | 'shared' | 'miss';

export interface CacheRules<T> {
  /** Limits of the cache. `bytes` counts responses as JSON, and their keys. */
  limits: { entries: number; bytes: number };
  /** Expiry, in epoch milliseconds, of a response received at `now`. */
  validUntil: (answer: T, now: number) => number;
  used: (use: CacheUse) => void;
}

interface Question<T> {
  ask: () => Promise<T>;
  keep: boolean;
}

/** A call in progress and the number of its waiting callers. */
interface Asking {
  waiting: number;
  isOver: boolean;
  readonly abandoned: AbortController;
}

export interface AnswerOptions {
  /** False to share the response only with concurrent callers. */
  readonly keep?: boolean;
  /** Aborts when the caller has left. The call ends once no caller waits for it. */
  readonly left?: AbortSignal | undefined;
}

interface Kept<T> {
  answer: T;
  at: number;
  until: number;
}

/**
 * An in-memory cache of responses to one kind of query. Concurrent identical queries share one call. A failure is
 * passed to the callers that wait for it and is not cached. Responses are shared, so callers must not change them.
 */
export class AnswerCache<T> {
  private readonly kept: LRUCache<string, Kept<T>, Question<T>>;
  private readonly asking = new Map<string, Asking>();

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
      // An evicted call in progress still serves its waiting callers.
      ignoreFetchAbort: true,
      fetchMethod: async (_question, _stale, { options, context: { ask, keep } }) => {
        const answer = await ask();
        const at = clock.now();
        const until = keep ? rules.validUntil(answer, at) : at;
        // The library includes the last millisecond, and treats 0 as no expiry.
        options.ttl = Math.max(1, until - at - 1);
        return { answer, at, until };
      },
    });
  }

  /**
   * The response to `question`: cached, from a call in progress, or from `ask`. Rejects with the error of `ask` or the
   * reason of `left`.
   */
  async answer(
    question: string,
    ask: (abandoned: AbortSignal) => Promise<T>,
    { keep = true, left }: AnswerOptions = {},
  ): Promise<T> {
    left?.throwIfAborted();
    this.makeRoom(question);
    const asking = this.asking.get(question) ?? { waiting: 0, isOver: false, abandoned: new AbortController() };
    asking.waiting += 1;
    this.asking.set(question, asking);
    const status: LRUCache.Status<string, Kept<T>, Question<T>> = {};
    const context = { ask: () => ask(asking.abandoned.signal), keep };
    const asked = this.kept.forceFetch(question, { context, status });
    this.rules.used(status.fetch === 'hit' ? 'hit' : status.fetch === 'inflight' ? 'shared' : 'miss');
    try {
      return (await whileThere(asked, asking, left)).answer;
    } finally {
      this.leave(question, asking, left);
    }
  }

  private leave(question: string, asking: Asking, left: AbortSignal | undefined): void {
    asking.waiting -= 1;
    if (asking.waiting > 0) return;
    if (this.asking.get(question) === asking) this.asking.delete(question);
    if (asking.isOver) return;
    // The next caller starts a new call.
    this.kept.delete(question);
    asking.abandoned.abort(left?.reason);
  }

  /** Drops expired responses before the library would drop valid ones. A response from the future counts as expired. */
  private makeRoom(question: string): void {
    const kept = this.kept.peek(question, { allowStale: true });
    const now = this.clock.now();
    if (kept && (now < kept.at || now >= kept.until)) this.kept.delete(question);
    if (!this.kept.has(question)) this.kept.purgeStale();
  }
}

async function whileThere<A>(asked: Promise<A>, asking: Asking, left: AbortSignal | undefined): Promise<A> {
  const answered = asked.finally(() => (asking.isOver = true));
  if (!left) return answered;
  let leave: () => void = () => undefined;
  const departure = new Promise<never>((_resolve, reject) => {
    leave = () => reject(left.reason as Error);
    left.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([answered, departure]);
  } finally {
    left.removeEventListener('abort', leave);
    answered.catch(() => undefined);
  }
}
