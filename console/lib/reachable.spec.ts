import { answeredWithin, noted, Unanswered } from './reachable.js';

const answer = (status: number, type: string): Promise<Response> =>
  Promise.resolve(new Response('{}', { status, headers: { 'content-type': type } }));

describe('an answer', () => {
  it('comes from the service, even if it is an error', async () => {
    expect((await noted(answer(200, 'application/json'))).status).toBe(200);
    expect((await noted(answer(503, 'application/problem+json'))).status).toBe(503);
  });

  it('is missing if a page replaced it, such as the sign-in of a proxy', async () => {
    await expect(noted(answer(200, 'text/html; charset=utf-8'))).rejects.toThrow(
      'Got an HTML page instead of data (proxy or sign-in page?)',
    );
  });

  it('is missing if it does not arrive in time', async () => {
    const never = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await expect(answeredWithin(0, undefined, never)).rejects.toThrow(Unanswered);
    const left = new AbortController();
    const waiting = answeredWithin(60, left.signal, never);
    left.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });
});
