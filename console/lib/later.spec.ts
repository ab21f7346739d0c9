import { loaded } from './later.js';

/** Returns these results in turn, then the last one forever. */
function inTurn<T>(...answers: readonly (T | Error)[]): () => Promise<T> {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next++, answers.length - 1)] as T | Error;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
}

const failed = new Error('Failed to fetch dynamically imported module');

describe('code that is loaded later', () => {
  it('is loaded once the service responds again', async () => {
    expect(await loaded(inTurn<string>(failed, failed, 'code'), inTurn(false, false, false), 0)).toBe('code');
  });

  it('is loaded by a second attempt if only its connection broke', async () => {
    expect(await loaded(inTurn<string>(failed, 'code'), inTurn(true), 0)).toBe('code');
  });

  it('fails if the service responds and does not have it', async () => {
    await expect(loaded(inTurn<string>(failed), inTurn(false, true), 0)).rejects.toBe(failed);
  });
});
