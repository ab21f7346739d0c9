import { SchedulerRegistry } from '@nestjs/schedule';
import { type Role, RoleConfig } from '../../src/config/config.js';
import { openPostgres } from '../../src/database/postgres.js';
import { PostgresWriteLane } from '../../src/database/postgres-write-lane.js';
import { openSqliteReader, sqliteHandle, sqliteLaneManager } from '../../src/database/sqlite.js';
import { SqliteWriteLane } from '../../src/database/sqlite-write-lane.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { ReadinessService } from '../../src/ops/readiness.service.js';
import { Log } from '../../src/platform/log.js';
import { Metrics } from '../../src/platform/metrics.js';
import { SchemaService } from '../../src/schema/schema.service.js';
import { WorkerLoop } from '../../src/work/worker-loop.js';
import { WorkerRegistry } from '../../src/work/worker-registry.js';
import { FakeClock } from '../support/fake-clock.js';
import { type TestStore, testStore } from '../support/test-store.js';

describe('readiness', () => {
  let store: TestStore;
  let clock: FakeClock;
  let workers: WorkerRegistry;
  let slow: WorkerLoop;
  let quick: WorkerLoop;

  beforeEach(async () => {
    store = await testStore();
    clock = new FakeClock(1_000_000);
    workers = new WorkerRegistry(new SchedulerRegistry());
    slow = idleLoop('slow', clock);
    quick = idleLoop('quick', clock);
    workers.add(slow, 60_000);
    workers.add(quick, 100);
  });

  afterEach(() => store.close());

  const readiness = (role: Role = 'all', lane = store.lane): ReadinessService =>
    new ReadinessService(new SchemaService(lane, store.reader), workers, new RoleConfig({ role }), clock);
  const failing = async (service: ReadinessService): Promise<string[]> =>
    (await service.failing()).map(({ field, message }) => `${field}: ${message}`);
  const tickAll = (): void => {
    for (const loop of workers.all()) loop.tick();
  };

  it('is there when the store takes writes and every worker ticks', async () => {
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
    const service = readiness();
    clock.advance(5_000);
    expect(await failing(service)).toEqual([]);
    clock.advance(1);
    expect(await failing(service)).toEqual(['workers: not ticking: quick']);
    quick.tick();
    clock.advance(5_000);
    quick.tick();
    clock.advance(170_000);
    quick.tick();
    expect(await failing(service)).toEqual(['workers: not ticking: slow']);
  });

  it('expects no workers of a process that only serves', async () => {
    expect(await failing(readiness('api'))).toEqual([]);
  });

  it('ends as soon as the process is told to stop', async () => {
    tickAll();
    await workers.stop(1_000);
    expect(await failing(readiness())).toEqual(['stopping: the process is shutting down']);
  });

  it('is not there when the database takes no writes', async () => {
    const readOnly = await readOnlyLane(store);
    expect(await failing(readiness('api', readOnly.lane))).toEqual(['database: the database takes no writes']);
    await readOnly.close();
  });

  it('is not there when the schema has moved on, which is looked at once a second', async () => {
    const service = readiness('api');
    expect(await failing(service)).toEqual([]);
    const writer = await openWriter(store.config, entities);
    await writer.query(`INSERT INTO migrations ("timestamp", name) VALUES (9999999999999, 'FromTheFuture')`);
    await writer.destroy();
    clock.advance(999);
    expect(await failing(service)).toEqual([]);
    clock.advance(1);
    expect(await failing(service)).toEqual(['migrations: the schema is not the one of this program']);
  });
});

function idleLoop(name: string, clock: FakeClock): WorkerLoop {
  const log = new Log({ level: 'error', destination: { write: () => undefined } });
  return new WorkerLoop({ name, work: async () => 'idle', clock, log, metrics: new Metrics() });
}

/** A write lane over a connection that refuses to write, as a full or read-only disk does. */
async function readOnlyLane({ config }: TestStore): Promise<{ lane: TestStore['lane']; close: () => Promise<void> }> {
  const source =
    config.kind === 'sqlite'
      ? await openSqliteReader(config.path, entities)
      : await openPostgres({ url: config.url.reveal(), entities, poolSize: 1, readOnly: true });
  const lane =
    config.kind === 'sqlite'
      ? new SqliteWriteLane(sqliteHandle(source), sqliteLaneManager(source))
      : new PostgresWriteLane(source);
  return { lane, close: () => source.destroy() };
}
