import { AppError } from '../../platform/platform/errors.js';
import { Places } from './places.js';

const staying = (): AbortSignal => new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  it('are given to callers in turn, so that many requests of one delay no other', async () => {
    const places = new Places({ atOnce: 1, waiting: 100, share: 50 });
    const order: string[] = [];
    const visit = async (caller: string): Promise<void> => {
      const release = await places.enter(caller, staying());
      order.push(caller);
      await turn();
      release();
    };
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(visit));
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
    expect(places.waiting).toBe(0);
  });

  it('are a quarter of all for one caller, whose other requests wait', async () => {
    const places = new Places({ atOnce: 8, waiting: 100, share: 50 });
    const first = await places.enter('a', staying());
    await places.enter('a', staying());
    let isIn = false;
    const third = places.enter('a', staying()).then((giveBack) => {
      isIn = true;
      return giveBack;
    });
    (await places.enter('b', staying()))();
    expect([isIn, places.running, places.waiting, places.isFull]).toEqual([false, 2, 1, false]);
    first();
    (await third)();
    expect(places.waiting).toBe(0);
  });

  it('do not count open requests, which have a share of their own', () => {
    const places = new Places({ atOnce: 1, waiting: 100, share: 2 });
    const close = places.open('a');
    places.open('a');
    const refused: Error = expect.objectContaining({ code: 'rate_limited', reason: 'share' });
    expect(() => places.open('a')).toThrow(refused);
    places.open('b');
    close();
    places.open('a');
    expect(places.running).toBe(0);
  });

  it('are refused to all callers once too many wait', async () => {
    const places = new Places({ atOnce: 1, waiting: 1, share: 2 });
    const first = await places.enter('a', staying());
    const second = places.enter('b', staying());
    await expect(places.enter('c', staying())).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 1 });
    first();
    (await second)();
    (await places.enter('c', staying()))();
  });

  it('are freed by callers who disconnect while they wait', async () => {
    const places = new Places({ atOnce: 1, waiting: 2, share: 2 });
    const first = await places.enter('a', staying());
    const leaving = new AbortController();
    const gone = places.enter('a', leaving.signal);
    leaving.abort(new AppError('caller_left', 'The client closed the request.'));
    await expect(gone).rejects.toMatchObject({ code: 'caller_left' });
    expect(places.waiting).toBe(0);
    const next = places.enter('a', staying());
    first();
    (await next)();
    await expect(places.enter('a', leaving.signal)).rejects.toMatchObject({ code: 'caller_left' });
  });
});
