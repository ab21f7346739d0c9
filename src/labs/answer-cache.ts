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

interface Kept<T> {
  answer: T;
  at: number;
  until: number;
  bytes: number;
}

/**
 * Answers of one kind of question, in memory, the least recently used given up first.
 *
 *   nothing -> under way -> kept -> nothing (its time has passed, or the room is needed)
 *                 |-> nothing (it failed: nobody after those who waited meets that failure)
 *
 * An answer is handed to several callers and must not be changed. Nothing survives the process, and nothing has to.
 */
export class AnswerCache<T> {
  /** In order of last use. */
  private readonly kept = new Map<string, Kept<T>>();
  private readonly underway = new Map<string, Promise<T>>();
  private bytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly rules: CacheRules<T>,
  ) {}

  /** The answer to `question`, from `ask` where none is kept or under way. Rejects with what `ask` rejects with. */
  async answer(question: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.find(question);
    if (kept) {
      this.rules.used('hit');
      return kept.answer;
    }
    const underway = this.underway.get(question);
    this.rules.used(underway ? 'shared' : 'miss');
    return underway ?? this.begin(question, ask);
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const asking = this.ask(question, ask).finally(() => this.underway.delete(question));
    this.underway.set(question, asking);
    return asking;
  }

  private async ask(question: string, ask: () => Promise<T>): Promise<T> {
    const answer = await ask();
    this.keep(question, answer);
    return answer;
  }

  private find(question: string): Kept<T> | undefined {
    const kept = this.kept.get(question);
    if (!kept) return undefined;
    this.drop(question, kept);
    if (!isValid(kept, this.clock.now())) return undefined;
    this.add(question, kept);
    return kept;
  }

  private keep(question: string, answer: T): void {
    const at = this.clock.now();
    const until = this.rules.validUntil(answer, at);
    if (until <= at) return;
    const { entries, bytes: room } = this.rules.limits;
    const bytes = Buffer.byteLength(JSON.stringify(answer)) + Buffer.byteLength(question);
    if (bytes > room) return;
    for (const [other, kept] of this.kept) if (!isValid(kept, at)) this.drop(other, kept);
    this.add(question, { answer, at, until, bytes });
    for (const [oldest, kept] of this.kept) {
      if (this.kept.size <= entries && this.bytes <= room) break;
      this.drop(oldest, kept);
    }
  }

  private add(question: string, kept: Kept<T>): void {
    this.kept.set(question, kept);
    this.bytes += kept.bytes;
  }

  private drop(question: string, kept: Kept<T>): void {
    this.kept.delete(question);
    this.bytes -= kept.bytes;
  }
}

/** A clock that was set back would otherwise make an answer live longer than it may. */
function isValid(kept: Kept<unknown>, now: number): boolean {
  return kept.at <= now && now < kept.until;
}
