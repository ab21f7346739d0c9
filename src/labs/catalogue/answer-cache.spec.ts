import { Clock } from '../../platform/platform/clock.js';
import { AnswerCache, type CacheUse } from './answer-cache.js';

class StillClock extends Clock {
  ms = 1_000_000;

  override now(): number {
    return this.ms;
  }

  override monotonic(): number {
    return this.ms;
  }
}

interface Letter {
  text: string;
  until?: number;
}

describe('AnswerCache', () => {
  let clock: StillClock;
  let uses: CacheUse[];
  let asked: string[];

  beforeEach(() => {
    clock = new StillClock();
    uses = [];
    asked = [];
  });

  function cacheOf(limits = { entries: 3, bytes: 10_000 }): AnswerCache<Letter> {
    return new AnswerCache<Letter>(clock, {
      limits,
      validUntil: ({ until }, now) => until ?? now + 100,
      used: (use) => uses.push(use),
    });
  }

  const get = (cache: AnswerCache<Letter>, question: string, letter: Letter = { text: question }): Promise<Letter> =>
    cache.answer(question, async () => {
      asked.push(question);
      return letter;
    });

  it('returns a cached response until it expires, to the millisecond', async () => {
    const cache = cacheOf();
    await get(cache, 'a');
    clock.ms += 99;
    await get(cache, 'a');
    clock.ms += 1;
    await get(cache, 'a');
    expect(uses).toEqual(['miss', 'hit', 'miss']);
    expect(asked).toEqual(['a', 'a']);
  });

  it('does not cache a response that only concurrent callers may share', async () => {
    const cache = cacheOf();
    const ask = async (): Promise<Letter> => ({ text: 'a' });
    await Promise.all([cache.answer('a', ask, { keep: false }), cache.answer('a', ask, { keep: false })]);
    await cache.answer('a', ask, { keep: false });
    expect(uses).toEqual(['miss', 'shared', 'miss']);
  });

  it('does not extend the lifetime of a used entry', async () => {
    const cache = cacheOf();
    await get(cache, 'a');
    for (let ms = 0; ms < 120; ms += 40) {
      clock.ms += 40;
      await get(cache, 'a');
    }
    expect(uses).toEqual(['miss', 'hit', 'hit', 'miss']);
  });

  it('does not keep an expired response', async () => {
    const cache = cacheOf();
    await get(cache, 'a', { text: 'a', until: clock.ms });
    await get(cache, 'a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('ignores a response from the future', async () => {
    const cache = cacheOf();
    await get(cache, 'a');
    clock.ms -= 1;
    await get(cache, 'a');
    expect(uses).toEqual(['miss', 'miss']);
  });

  it('makes one call for many concurrent callers', async () => {
    const cache = cacheOf();
    const answers = await Promise.all([get(cache, 'a'), get(cache, 'a'), get(cache, 'b'), get(cache, 'a')]);
    expect(answers.map(({ text }) => text)).toEqual(['a', 'a', 'b', 'a']);
    expect(asked).toEqual(['a', 'b']);
    expect(uses).toEqual(['miss', 'shared', 'miss', 'shared']);
  });

  it('passes a failure to waiting callers, but not to later ones', async () => {
    const cache = cacheOf();
    const fail = (): Promise<Letter> => Promise.reject(new Error('down'));
    const outcomes = await Promise.allSettled([cache.answer('a', fail), cache.answer('a', fail)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await get(cache, 'a')).toEqual({ text: 'a' });
    expect(uses).toEqual(['miss', 'shared', 'miss']);
  });

  it('drops the least recently used response if there are too many', async () => {
    const cache = cacheOf();
    for (const question of ['a', 'b', 'c', 'a', 'd']) await get(cache, question);
    asked = [];
    for (const question of ['a', 'c', 'd', 'b']) await get(cache, question);
    expect(asked).toEqual(['b']);
  });

  it('drops responses if they have too many bytes', async () => {
    const cache = cacheOf({ entries: 100, bytes: 200 });
    const long = { text: 'x'.repeat(70) };
    for (const question of ['a', 'b', 'c']) await get(cache, question, long);
    asked = [];
    for (const question of ['b', 'c', 'a']) await get(cache, question, long);
    expect(asked).toEqual(['a']);
  });

  it('does not cache a response that is too large, and drops no other for it', async () => {
    const cache = cacheOf({ entries: 100, bytes: 250 });
    await get(cache, 'a');
    await get(cache, 'b', { text: 'x'.repeat(250) });
    asked = [];
    await get(cache, 'a');
    await get(cache, 'b');
    expect(asked).toEqual(['b']);
  });

  it('drops expired responses first', async () => {
    const cache = cacheOf();
    await get(cache, 'a', { text: 'a', until: clock.ms + 1_000 });
    await get(cache, 'b');
    await get(cache, 'c');
    clock.ms += 100;
    await get(cache, 'd');
    asked = [];
    await get(cache, 'a');
    expect(asked).toEqual([]);
  });
});
