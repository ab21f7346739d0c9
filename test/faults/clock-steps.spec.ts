import { PullScheduleWorker } from '../../src/ingest/pulls/pull-schedule.worker.js';
import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { ClockStepsWorker } from '../../src/storage/work/clock-steps.worker.js';
import { WorkerRegistry } from '../../src/storage/work/worker-registry.js';
import { HOUR, MINUTE, SECOND } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Line {
  readonly event: string;
  readonly delay_ms?: number;
  readonly count?: number;
}

describe("a machine's clock that is set while the process runs", () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
    await app.connect('anna', 'oura', { days: 1, per_day: 1 });
    await app.settle();
  });

  afterEach(() => app.close());

  /** When something is due next: every pull stream, and every row of a queue. */
  async function dueTimes(): Promise<number[]> {
    const rows = await app.store.reader.rows<{ due: number }>(
      `SELECT next_due_at AS due FROM pull_streams UNION ALL SELECT due_at FROM source_polls
       UNION ALL SELECT due_at FROM walks UNION ALL SELECT look_due_at FROM missing_records WHERE look_due_at IS NOT NULL
       UNION ALL SELECT due_at FROM sync_tasks WHERE due_at IS NOT NULL`,
    );
    return rows.map(({ due }) => due - app.clock.now()).sort((a, b) => a - b);
  }
  /** One that upstream did not show, whose range is looked at again in an hour. */
  async function missingRecord(): Promise<void> {
    await app.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO missing_records (account_id, resource, time, series_id, summary_id, provider, end_time, state, seen_by, looks, look_due_at)
         SELECT id, 'sleep', 0, 0, 'night', 'oura', 0, 'candidate', 1, 0, ? FROM accounts`,
        [app.clock.now() + HOUR],
      ),
    );
  }
  const steps = (): Line[] =>
    app.logs.map((line) => JSON.parse(line) as Line).filter(({ event }) => event === 'app.clock_stepped');

  it('back moves all due times, and is logged once', async () => {
    await missingRecord();
    const before = await dueTimes();
    expect(before.length).toBeGreaterThan(2);
    app.clock.step(-4 * HOUR);
    await app.run(ClockStepsWorker);
    expect(await dueTimes()).toEqual(before);
    app.clock.advance(5 * SECOND);
    await app.run(ClockStepsWorker);
    expect(steps()).toEqual([expect.objectContaining({ delay_ms: -4 * HOUR, count: before.length })]);
  });

  it('back moves due times that running work stores afterwards by the old time', async () => {
    const late = app.clock.now() + 15 * MINUTE;
    app.clock.step(-4 * HOUR);
    await app.run(ClockStepsWorker);
    await app.store.lane.run((tx) => tx.execute('UPDATE pull_streams SET next_due_at = ?', [late]));
    app.clock.advance(MINUTE);
    await app.run(ClockStepsWorker);
    const due = await app.store.reader.rows<{ due: number }>('SELECT next_due_at AS due FROM pull_streams');
    expect(due.map((row) => row.due - app.clock.now())).toEqual(due.map(() => 14 * MINUTE));
    expect(steps()).toHaveLength(1);
  });

  it('back does not move work that is already due', async () => {
    app.clock.advance(12 * HOUR);
    const overdue = `UPDATE pull_streams SET next_due_at = ?`;
    await app.store.lane.run((tx) => tx.execute(overdue, [app.clock.now() - 10 * MINUTE]));
    app.clock.step(-4 * HOUR);
    await app.run(ClockStepsWorker);
    const late = `SELECT resource FROM pull_streams WHERE next_due_at > ?`;
    expect(await app.store.reader.rows(late, [app.clock.now()])).toEqual([]);
  });

  it('back is corrected once by any number of processes', async () => {
    const other = await app.another();
    // What is due later than the step is long may be moved once by each process, and is then early.
    const soon = `UPDATE walks SET due_at = ? WHERE name = 'source_priorities'`;
    await app.store.lane.run((tx) => tx.execute(soon, [app.clock.now() + HOUR]));
    const before = await dueTimes();
    app.clock.step(-4 * HOUR);
    for (const each of [app, other]) await each.run(ClockStepsWorker);
    expect(await dueTimes()).toEqual(before);
  });

  it('back is corrected in a separate transaction for each table, so that none waits for another', async () => {
    const tables = app.get(WorkerRegistry).dueTimes();
    const moves = tables.map((times) => jest.spyOn(times, 'bringForward'));
    app.clock.step(-4 * HOUR);
    await app.run(ClockStepsWorker);
    const transactions = moves.flatMap(({ mock }) => mock.calls.map(([tx]) => tx));
    expect(transactions).toHaveLength(tables.length);
    expect(new Set(transactions).size).toBe(tables.length);
  });

  it('back moves each table once, also if one cannot be moved at first', async () => {
    const tables = app.get(WorkerRegistry).dueTimes();
    const moves = tables.map((times) => jest.spyOn(times, 'bringForward'));
    moves.at(-1)?.mockRejectedValueOnce(Object.assign(new Error('timeout'), { code: '57014' }));
    app.clock.step(-10 * MINUTE);
    await expect(app.run(ClockStepsWorker)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await app.run(ClockStepsWorker);
    expect(moves.map(({ mock }) => mock.calls.length)).toEqual(
      tables.map((_, index) => (index < tables.length - 1 ? 1 : 2)),
    );
    app.clock.step(-10 * MINUTE);
    await app.run(ClockStepsWorker);
    expect(moves[0]?.mock.calls).toHaveLength(2);
  });

  it('back does not stop scheduled pulls', async () => {
    app.clock.step(-4 * HOUR);
    await app.run(ClockStepsWorker);
    app.clock.advance(2 * HOUR);
    await app.run(PullScheduleWorker);
    const pulls = await app.store.reader.rows(`SELECT id FROM sync_tasks WHERE origin = 'connection'`);
    expect(pulls.length).toBeGreaterThan(0);
  });

  it('back does not stop a process from reporting itself', async () => {
    await app.run(AlarmsWorker);
    app.clock.step(-4 * HOUR);
    await app.run(AlarmsWorker);
    const rows = await app.store.reader.rows('SELECT seen_at FROM processes');
    expect(rows).toEqual([{ seen_at: app.clock.now() }]);
  });

  it('forward is logged, and moves nothing', async () => {
    const before = await dueTimes();
    app.clock.step(4 * HOUR);
    await app.run(ClockStepsWorker);
    expect(await dueTimes()).toEqual(before.map((due) => due - 4 * HOUR));
    expect(steps()).toEqual([expect.objectContaining({ delay_ms: 4 * HOUR, count: 0 })]);
  });

  it('by a second or two is not logged', async () => {
    app.clock.step(-2 * SECOND);
    await app.run(ClockStepsWorker);
    expect(steps()).toEqual([]);
  });
});
