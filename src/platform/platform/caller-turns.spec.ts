import { CallerTurns } from './caller-turns.js';
import { requestContext, withinRequest } from './request-context.js';

function queueOf(...given: readonly (readonly [caller: string | null, item: string])[]): CallerTurns<string> {
  const queue = new CallerTurns<string>();
  for (const [caller, item] of given) {
    if (caller === null) queue.add(item);
    else withinRequest({ caller }, () => queue.add(item));
  }
  return queue;
}

function orderOf(queue: CallerTurns<string>): string[] {
  return Array.from({ length: queue.size }, () => queue.take() ?? 'nothing');
}

describe('turns of callers', () => {
  it('give each caller one item before another gets its second', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['c', 'c2']);
    expect(orderOf(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(queue.take()).toBeUndefined();
  });

  it('begin with the next caller if the first one adds more meanwhile', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1']);
    expect(queue.take()).toBe('a1');
    withinRequest({ caller: 'a' }, () => queue.add('a3'));
    expect(orderOf(queue)).toEqual(['b1', 'a2', 'a3']);
  });

  it('are one for each item without a caller', () => {
    expect(orderOf(queueOf([null, 'n1'], [null, 'n2'], ['a', 'a1'], ['a', 'a2'], [null, 'n3']))).toEqual([
      'n1',
      'n2',
      'a1',
      'n3',
      'a2',
    ]);
  });

  it('end with an item that is removed, or with all', () => {
    const queue = queueOf(['a', 'a1'], ['b', 'b1'], ['b', 'b2']);
    queue.remove('a1');
    queue.remove('unknown');
    expect(queue.size).toBe(2);
    expect(queue.takeAll()).toEqual(['b1', 'b2']);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });
});

describe('the context of a request', () => {
  it('adds what becomes known to what was, within the work alone', async () => {
    const trace = { traceId: '1', flags: '01' };
    const seen = withinRequest({ trace }, () =>
      withinRequest({ caller: 'a' }, async () => {
        await Promise.resolve();
        return requestContext();
      }),
    );
    expect(requestContext()).toEqual({});
    expect(await seen).toEqual({ trace, caller: 'a' });
  });
});
