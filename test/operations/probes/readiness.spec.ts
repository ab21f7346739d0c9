import { SchedulerRegistry } from '@nestjs/schedule';
import { entities, rooms } from '../../../src/app/rooms.js';
import { MessageEntity } from '../../../src/ingest/inbox/message.entity.js';
import { ReadinessService } from '../../../src/operations/probes/readiness.service.js';
import { type Role, RoleConfig } from '../../../src/platform/config/config.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';
import { Log } from '../../../src/platform/platform/log.js';
import { Metrics } from '../../../src/platform/platform/metrics.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { openPostgres } from '../../../src/storage/database/postgres.js';
import { PostgresWriteLane } from '../../../src/storage/database/postgres-write-lane.js';
import { openSqliteReader, sqliteHandle, sqliteLaneManager } from '../../../src/storage/database/sqlite.js';
import { SqliteWriteLane } from '../../../src/storage/database/sqlite-write-lane.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { WriteLane } from '../../../src/storage/database/write-lane.js';
import { Declarations } from '../../../src/storage/declarations/declarations.js';
import { SchemaService } from '../../../src/storage/schema/schema.service.js';
import type { LeasedRow } from '../../../src/storage/work/lease.js';
import { LeasedRows } from '../../../src/storage/work/leased-rows.js';
import type { WorkerLoop, WorkOutcome } from '../../../src/storage/work/worker-loop.js';
import { WorkerRegistry } from '../../../src/storage/work/worker-registry.js';
import { read } from '../../support/configurations.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { until } from '../../support/until.js';

const declarations = new Declarations(rooms);

describe('readiness', () => {
  let store: TestStore;
  let clock: FakeClock;
  let workers: WorkerRegistry;
  let slow: WorkerLoop;
  let quick: WorkerLoop;
  /** What a round of the slow worker waits for. */
  let hangs: Promise<WorkOutcome> | null;

  beforeEach(async () => {
    store = await testStore();
    clock = new FakeClock(1_000_000);
    const log = new Log({ level: 'error', destination: { write: () => undefined } });
    workers = new WorkerRegistry(new SchedulerRegistry(), store.lane, store.reader, clock, log, new Metrics());
    hangs = null;
    slow = workers.register({ name: 'slow', everyMs: 60_000, work: async () => (await hangs) ?? 'idle' });
    quick = workers.register({ name: 'quick', everyMs: 100, work: async () => 'idle' });
  });

  afterEach(() => store.close());

  const serviceOn = ({ lane, reader }: Pick<TestStore, 'lane' | 'reader'>, role: Role): ReadinessService =>
    new ReadinessService(
      new SchemaService(lane, reader, declarations),
      workers,
      new RoleConfig({ role }),
      clock,
      read().webhook,
      new ThisProcess('this'),
    );
  const readiness = (role: Role = 'all', lane = store.lane): ReadinessService =>
    serviceOn({ lane, reader: store.reader }, role);
  const failing = async (service: ReadinessService): Promise<string[]> =>
    (await service.failing()).map(({ field, message }) => `${field}: ${message}`);
  const tickAll = (): void => {
    for (const loop of workers.all()) loop.tick();
  };

  const idle = (): Promise<void> => until(async () => workers.all().every(({ busy }) => !busy));

  it('is given when the store accepts writes and every worker ticks', async () => {
    tickAll();
    expect(await failing(readiness())).toEqual([]);
  });

  it('leaves nothing in the store', async () => {
    await readiness('api').failing();
    expect(await store.reader.rows('SELECT * FROM database_identity')).toEqual([]);
  });

  it('names the workers that never ticked', async () => {
    quick.tick();
    expect(await failing(readiness())).toEqual(['workers: not ticking: slow']);
  });

  it('expects a tick within three intervals, and within 5 s where they are short', async () => {
    tickAll();
    await idle();
    const service = readiness();
    clock.advance(4_999);
    expect(await failing(service)).toEqual([]);
    clock.advance(2);
    expect(await failing(service)).toEqual(['workers: not ticking: quick']);
    quick.tick();
    await idle();
    clock.advance(5_000);
    quick.tick();
    await idle();
    clock.advance(170_000);
    quick.tick();
    await idle();
    expect(await failing(service)).toEqual(['workers: not ticking: slow']);
  });

  it('names a worker whose round has lasted for more than ten minutes, although it ticks', async () => {
    let end: (outcome: WorkOutcome) => void = () => undefined;
    hangs = new Promise((resolve) => (end = resolve));
    tickAll();
    const service = readiness();
    clock.advance(599_999);
    tickAll();
    expect(await failing(service)).toEqual([]);
    clock.advance(2);
    tickAll();
    expect(await failing(service)).toEqual(['workers: stuck: slow']);
    end('idle');
    await slow.stop(1_000);
    expect(await failing(service)).toEqual([]);
  });

  it('names a worker whose work on a row hangs although its rounds end, until it continues', async () => {
    const hold = { worker: 'quick', stuckAfterMs: 60_000 };
    const rows = new LeasedRows<LeasedRow>(MessageEntity);
    const row = { due_at: 0, attempts: 1, waits: 0, lease_owner: 'x', lease_until: 0 };
    const holding = workers.leases.hold(rows, [row], hold);
    clock.advance(60_001);
    tickAll();
    const service = readiness();
    expect(await failing(service)).toEqual(['workers: stuck: quick']);
    holding.end();
    expect(await failing(service)).toEqual([]);
  });

  it('uses the monotonic clock', async () => {
    tickAll();
    await idle();
    const service = readiness();
    clock.step(4 * 3_600_000);
    expect(await failing(service)).toEqual([]);
    clock.step(-8 * 3_600_000);
    clock.advance(5_001);
    expect(await failing(service)).toEqual(['workers: not ticking: quick']);
  });

  it('expects no workers of a process that only serves', async () => {
    expect(await failing(readiness('api'))).toEqual([]);
  });

  it('ends as soon as the process is asked to stop', async () => {
    tickAll();
    await workers.stop(1_000);
    expect(await failing(readiness())).toEqual(['stopping: the process is shutting down']);
  });

  it('fails when the database accepts no writes', async () => {
    const readOnly = await readOnlyLane(store);
    expect(await failing(readiness('api', readOnly.lane))).toEqual(['database: the database refuses writes']);
    await readOnly.close();
  });

  it('fails after a write found no room, even if small ones succeed, until a large one does', async () => {
    const full = await almostFull(store);
    const service = readiness('api');
    expect(await failing(service)).toEqual([]);
    const note = (text: string) =>
      store.lane.run((tx) => tx.execute('INSERT INTO sample_attributes (content) VALUES (?)', [text]));
    await expect(note('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'storage_unavailable' });
    for (let asked = 0; asked < 3; asked++) {
      clock.advance(1_000);
      await note(`small ${asked}`);
      expect(await failing(service)).toEqual(['database: the database refuses writes']);
    }
    await full.end();
    clock.advance(1_000);
    expect(await failing(service)).toEqual([]);
  });

  it('reports an unreachable database, and not the then unknown schema', async () => {
    const gone = await testStore();
    await gone.close();
    const service = serviceOn(gone, 'api');
    expect(await failing(service)).toEqual(['database: the database cannot be reached']);
  });

  it('checks the store again after a refused write, although the last check is fresh', async () => {
    const going = await testStore();
    const service = serviceOn(going, 'api');
    expect(await failing(service)).toEqual([]);
    await going.close();
    expect(await failing(service)).toEqual([]);
    going.lane.refusals += 1;
    expect(await failing(service)).not.toEqual([]);
  });

  it('checks the store again after the clock was set back', async () => {
    const going = await testStore();
    const service = serviceOn(going, 'api');
    expect(await failing(service)).toEqual([]);
    await going.close();
    clock.step(-4 * 3_600_000);
    clock.advance(1_000);
    expect(await failing(service)).toEqual(['database: the database cannot be reached']);
  });

  it('checks an unresponsive store once, however often it is called', async () => {
    const silent = new SilentLane();
    const service = readiness('api', silent);
    const answers = Array.from({ length: 4 }, () => {
      clock.advance(1_000);
      return failing(service);
    });
    const refusal = ['database: the database refuses writes'];
    expect(await Promise.all(answers)).toEqual([refusal, refusal, refusal, refusal]);
    expect(silent.asked).toBe(1);
  });

  it('fails when the schema has changed, which is checked once a second', async () => {
    const service = readiness('api');
    expect(await failing(service)).toEqual([]);
    const writer = await openWriter(store.config, entities);
    await writer.query(`INSERT INTO migrations ("timestamp", name) VALUES (9999999999999, 'FromTheFuture')`);
    await writer.destroy();
    clock.advance(999);
    expect(await failing(service)).toEqual([]);
    clock.advance(1);
    expect(await failing(service)).toEqual(['migrations: the schema does not match this version']);
  });
});

/** The write lane of a database that never answers. */
class SilentLane extends WriteLane {
  asked = 0;

  override run<T>(): Promise<T> {
    this.asked += 1;
    return new Promise(() => undefined);
  }

  override inside(): boolean {
    return false;
  }

  override idle(): Promise<void> {
    return Promise.resolve();
  }
}

/** From now on small rows are taken and large ones find no room. */
async function almostFull({ lane }: TestStore): Promise<{ end: () => Promise<unknown> }> {
  const run = (sql: string) => lane.run((tx) => tx.rows<{ page_count: number }>(sql));
  if (lane instanceof SqliteWriteLane) {
    const [{ page_count } = { page_count: 0 }] = await run('PRAGMA page_count');
    await run(`PRAGMA max_page_count = ${page_count + 20}`);
    return { end: () => run('PRAGMA max_page_count = 1000000') };
  }
  await run(`CREATE OR REPLACE FUNCTION refuse_large() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF length(NEW::text) > 100000 THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END IF; RETURN NEW; END $$`);
  const tables = ['sample_attributes', 'database_identity'];
  for (const table of tables)
    await run(`CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_large()`);
  return { end: () => Promise.all(tables.map((table) => run(`DROP TRIGGER full_${table} ON ${table}`))) };
}

/** A write lane over a connection that refuses to write, as a full or read-only disk does. */
async function readOnlyLane({ config }: TestStore): Promise<{ lane: TestStore['lane']; close: () => Promise<void> }> {
  const source =
    config.kind === 'sqlite'
      ? await openSqliteReader(config, entities)
      : await openPostgres({ url: config.url.reveal(), entities, poolSize: 1, readOnly: true });
  const lane =
    config.kind === 'sqlite'
      ? new SqliteWriteLane(sqliteHandle(source), sqliteLaneManager(source), new SystemClock())
      : new PostgresWriteLane(source, 1, new SystemClock());
  return { lane, close: () => source.destroy() };
}
