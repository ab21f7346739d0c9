import { PassThrough } from 'node:stream';
import { passThrough } from './pdf-stream.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('passThrough', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  function setUp(limits: { totalMs?: number; maxBytes?: number } = {}) {
    const source = new PassThrough();
    const out = passThrough(source, {
      idleMs: 1_000,
      totalMs: 10_000,
      maxBytes: 100,
      ...limits,
      signal: undefined,
      broken: (reason) => new Error(reason),
    });
    const seen: string[] = [];
    out.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    out.on('error', (error) => seen.push(`error ${error.message}`));
    return { source, out, seen };
  }

  it('goes on while bytes arrive, and fails when none do', async () => {
    const { source, seen } = setUp();
    for (const chunk of ['a', 'b', 'c']) {
      jest.advanceTimersByTime(900);
      source.write(chunk);
      await turn();
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    jest.advanceTimersByTime(1_000);
    await turn();
    expect(seen).toEqual(['a', 'b', 'c', 'error timeout']);
    expect(source.destroyed).toBe(true);
  });

  it('fails when the last byte is not there in time, although bytes arrive', async () => {
    const { source, seen } = setUp({ totalMs: 2_000 });
    for (const chunk of ['a', 'b', 'c']) {
      jest.advanceTimersByTime(900);
      source.write(chunk);
      await turn();
    }
    expect(seen).toEqual(['a', 'b', 'error timeout']);
    expect(source.destroyed).toBe(true);
  });

  it('fails with the first byte above the limit, which is not passed on', async () => {
    const { source, seen } = setUp({ maxBytes: 3 });
    source.write('abc');
    await turn();
    source.write('d');
    await turn();
    await turn();
    expect(seen).toEqual(['abc', 'error too_large']);
    expect(source.destroyed).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves no timer running when it ends', async () => {
    const { source, out, seen } = setUp();
    source.end('a');
    await turn();
    await turn();
    expect(seen).toEqual(['a']);
    expect(out.destroyed).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
