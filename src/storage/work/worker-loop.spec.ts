import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { requestContext, withinRequest } from '../../platform/platform/request-context.js';
import { WorkerLoop, type WorkOutcome } from './worker-loop.js';

/** A worker whose rounds begin when the loop calls it, and end when the test decides. */
function scripted() {
  const lines: string[] = [];
  const log = new Log({ level: 'debug', destination: { write: (line: string) => lines.push(line) } });
  const metrics = new Metrics();
  const clock = new FakeClock(1_000);
  const begun: Array<{ signal: AbortSignal; end: (outcome: WorkOutcome) => void; fail: (error: Error) => void }> = [];
  const waiting: Array<() => void> = [];
  let parallel = 0;
  let mostParallel = 0;
  const work = (signal: AbortSignal): Promise<WorkOutcome> => {
    mostParallel = Math.max(mostParallel, ++parallel);
    return new Promise<WorkOutcome>((end, fail) => {
      begun.push({ signal, end, fail });
      for (const wake of waiting.splice(0)) wake();
    }).finally(() => parallel--);
  };
  const loop = new WorkerLoop({ name: 'inbox', work, clock, log, metrics });
  const round = async (number: number) => {
    while (begun.length < number) await new Promise<void>((wake) => waiting.push(wake));
    const found = begun[number - 1];
    if (!found) throw new Error('no such round');
    return found;
  };
  return { loop, clock, metrics, lines, begun, round, mostParallel: () => mostParallel };
}

describe('WorkerLoop', () => {
  it('runs one round per tick and remembers when the last tick came', async () => {
    const { loop, clock, begun, round } = scripted();
    expect(loop.lastTickAt).toBeNull();
    loop.tick();
    expect(loop.busy).toBe(true);
    expect(loop.lastTickAt).toBeCloseTo(clock.monotonic());
    (await round(1)).end('idle');
    await loop.stop(60_000);
    expect(begun).toHaveLength(1);
    clock.advance(500);
    expect(loop.busy).toBe(false);
  });

  it('does not read from the replica on behalf of the request that woke it', async () => {
    const seen: unknown[] = [];
    const work = async (): Promise<WorkOutcome> => {
      seen.push(requestContext().mayReadReplica);
      return 'idle';
    };
    const log = new Log({ level: 'debug', destination: { write: () => true } });
    const loop = new WorkerLoop({ name: 'inbox', work, clock: new FakeClock(1_000), log, metrics: new Metrics() });
    await withinRequest({ mayReadReplica: true }, () => loop.runUntilIdle());
    expect(seen).toEqual([false]);
  });

  it('counts failed rounds in a row, without those during which the store was away', async () => {
    const { loop, round } = scripted();
    const failing = async (number: number, error: Error): Promise<number> => {
      const settled = loop.runUntilIdle().catch(() => undefined);
      (await round(number)).fail(error);
      await settled;
      return loop.failures;
    };
    const away = Object.assign(new Error('away'), { code: '57P01' });
    const tooLong = Object.assign(new Error('statement timeout'), { code: '57014' });
    expect(await failing(1, tooLong)).toBe(1);
    expect(await failing(2, away)).toBe(1);
    expect(await failing(3, new TypeError('planned'))).toBe(2);
    const settled = loop.runUntilIdle();
    (await round(4)).end('idle');
    await settled;
    expect(loop.failures).toBe(0);
  });

  it('never overlaps, and makes one more round for all ticks during a round', async () => {
    const { loop, begun, round, mostParallel } = scripted();
    loop.tick();
    loop.tick();
    loop.tick();
    expect(begun).toHaveLength(1);
    (await round(1)).end('idle');
    (await round(2)).end('idle');
    const settled = loop.runUntilIdle();
    (await round(3)).end('idle');
    await settled;
    expect(begun).toHaveLength(3);
    expect(mostParallel()).toBe(1);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('loses no tick %i steps after the end of a round', async (steps) => {
    const { loop, begun, round } = scripted();
    loop.tick();
    (await round(1)).end('idle');
    for (let step = 0; step < steps; step++) await Promise.resolve();
    loop.tick();
    await nextTurn();
    expect(begun).toHaveLength(2);
  });

  it('continues without a tick while there is more work', async () => {
    const { loop, begun, round } = scripted();
    const settled = loop.runUntilIdle();
    (await round(1)).end('more');
    (await round(2)).end('more');
    (await round(3)).end('idle');
    await settled;
    expect(begun).toHaveLength(3);
    expect(loop.busy).toBe(false);
  });

  it('pauses if another process holds the lease', async () => {
    const { loop, begun, round } = scripted();
    const settled = loop.runUntilIdle();
    (await round(1)).end('skipped');
    await settled;
    expect(begun).toHaveLength(1);
  });

  it('survives an exception, logs only its class, counts it, and works again at the next tick', async () => {
    const { loop, lines, metrics, round } = scripted();
    const settled = loop.runUntilIdle();
    (await round(1)).fail(new RangeError('MARKED-SECRET'));
    await expect(settled).rejects.toThrow(RangeError);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 'error', event: 'worker.round_failed', worker: 'inbox', error: 'RangeError' }),
    ]);
    expect(lines.join()).not.toContain('MARKED');
    loop.tick();
    (await round(2)).end('idle');
    await loop.stop(60_000);
    const text = await metrics.registry.metrics();
    expect(text).toContain('pulsekeep_worker_rounds_total{worker="inbox",outcome="failed"} 1');
    expect(text).toContain('pulsekeep_worker_rounds_total{worker="inbox",outcome="idle"} 1');
  });

  it('reports a failing disk as unavailable storage, and runs again at the next tick', async () => {
    const { loop, lines, round } = scripted();
    loop.tick();
    (await round(1)).fail(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' }));
    loop.tick();
    (await round(2)).end('idle');
    await loop.stop(60_000);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        event: 'worker.round_failed',
        code: 'storage_unavailable',
        cause: 'Error:SQLITE_IOERR_FSYNC',
      }),
    ]);
  });

  it('does not throw from a tick whose work throws immediately', async () => {
    const { lines, metrics, clock } = scripted();
    const log = new Log({ level: 'debug', destination: { write: (line: string) => lines.push(line) } });
    const work = () => {
      throw new TypeError('at once');
    };
    const loop = new WorkerLoop({ name: 'sync', work, clock, log, metrics });
    expect(() => loop.tick()).not.toThrow();
    await loop.stop(60_000);
    expect(lines.join()).toContain('worker.round_failed');
  });

  it('waits for the current round before it works until idle', async () => {
    const { loop, begun, round, mostParallel } = scripted();
    loop.tick();
    const settled = Promise.all([loop.runUntilIdle(), loop.runUntilIdle()]);
    (await round(1)).end('idle');
    (await round(2)).end('idle');
    (await round(3)).end('idle');
    await settled;
    expect(begun).toHaveLength(3);
    expect(mostParallel()).toBe(1);
  });

  it('stops: aborts the signal, awaits the current round and begins no other', async () => {
    const { loop, begun, round } = scripted();
    loop.tick();
    loop.tick();
    const first = await round(1);
    const stopped = loop.stop(60_000);
    expect(first.signal.aborted).toBe(true);
    first.end('more');
    expect(await stopped).toBe('drained');
    loop.tick();
    await loop.runUntilIdle();
    expect(begun).toHaveLength(1);
  });

  it('reports a round that does not end in time', async () => {
    const { loop, round } = scripted();
    loop.tick();
    await round(1);
    expect(await loop.stop(0)).toBe('abandoned');
  });
});
