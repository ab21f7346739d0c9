import type { WriteLane } from '../database/write-lane.js';
import type { Log } from '../platform/log.js';
import { ClockStepsWorker } from './clock-steps.worker.js';
import type { WorkerLoop, WorkOutcome } from './worker-loop.js';
import type { DueTimes, WorkerRegistry } from './worker-registry.js';

describe('ClockStepsWorker', () => {
  let wallMs: number;
  let jobs: string[][];
  let lines: { event: string; facts: Readonly<Record<string, unknown>> | undefined }[];
  let round: () => Promise<WorkOutcome>;

  const dueTimesOf = (table: string, count: number): DueTimes => ({
    bringForward: async () => {
      jobs.at(-1)?.push(table);
      return count;
    },
  });

  beforeEach(() => {
    [wallMs, jobs, lines] = [1_000_000, [], []];
    const lane = {
      run: (work: (tx: object) => Promise<number>) => {
        jobs.push([]);
        return work({});
      },
    } as unknown as WriteLane;
    const clock = { now: () => wallMs, monotonic: () => 0 };
    const log = {
      event: (event: string, facts?: object) => lines.push({ event, facts: { ...facts } }),
    } as unknown as Log;
    const workers = {
      register: ({ work }: { work: () => Promise<WorkOutcome> }): WorkerLoop => {
        round = work;
        return {} as WorkerLoop;
      },
      dueTimes: () => [dueTimesOf('orders', 2), dueTimesOf('pulls', 3)],
    } as unknown as WorkerRegistry;
    new ClockStepsWorker(lane, clock, log, workers);
  });

  it('moves the times of each table in a job of its own, which waits for no other', async () => {
    wallMs -= 3_600_000;
    await round();
    expect(jobs).toEqual([['orders'], ['pulls']]);
    expect(lines).toEqual([{ event: 'app.clock_stepped', facts: { delay_ms: -3_600_000, count: 5 } }]);
  });

  it('moves nothing after a step forward', async () => {
    wallMs += 3_600_000;
    await round();
    expect(jobs).toEqual([]);
    expect(lines).toEqual([{ event: 'app.clock_stepped', facts: { delay_ms: 3_600_000, count: 0 } }]);
  });
});
