import { copyFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { PullWorker } from '../../src/ingest/pulls/pull.worker.js';
import { PullTaskEntity } from '../../src/ingest/pulls/pull-task.entity.js';
import { deliver, messagesOf, processed } from '../ingest/inbox/support/deliveries.js';
import { event, mindfulness, type User } from '../ingest/inbox/support/events.js';
import { SyncWorld } from '../ingest/pulls/support/sync-world.js';
import { HOUR } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { fastFolder, type TestDatabase } from '../support/test-store.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;
const PAGE_BYTES = 4_096;
const FRAME_BYTES = 24 + PAGE_BYTES;
const HEADER_BYTES = 32;
const cutsOfEach = 4;

function pathOf({ config }: TestDatabase): string {
  if (config.kind !== 'sqlite') throw new Error('The database is not a file.');
  return config.path;
}

function logBytes(database: TestDatabase): number {
  return statSync(`${pathOf(database)}-wal`).size;
}

/** The files as a loss of power may leave them: nothing of the log but its first `bytes` was on disk. */
function withLogOf(database: TestDatabase, bytes: number): TestDatabase {
  const folder = fastFolder('pulsekeep-');
  const path = join(folder, 'pulsekeep.sqlite');
  copyFileSync(pathOf(database), path);
  copyFileSync(`${pathOf(database)}-wal`, `${path}-wal`);
  copyFileSync(`${pathOf(database)}.erasures`, `${path}.erasures`);
  truncateSync(`${path}-wal`, bytes);
  return { config: { kind: 'sqlite', path }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** Lengths of the log from one to another, each at the end of a page, both included. */
function cutsBetween(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const frames = Math.round((from + ((to - from) * index) / (count - 1) - HEADER_BYTES) / FRAME_BYTES);
    return HEADER_BYTES + frames * FRAME_BYTES;
  });
}

onSqlite('a loss of power', () => {
  /** Starts on what each loss of power leaves of the log of a service beyond `durable` bytes. */
  async function afterEachLoss(
    service: TestApp,
    durable: number,
    look: (again: TestApp) => Promise<void>,
  ): Promise<void> {
    const cuts = cutsBetween(durable, logBytes(service.database), cutsOfEach);
    expect(new Set(cuts).size).toBe(cutsOfEach);
    for (const bytes of cuts) {
      const database = withLogOf(service.database, bytes);
      const again = await TestApp.create({
        database,
        upstream: service.sandbox,
        clock: service.clock,
        webhooks: false,
      });
      try {
        await look(again);
      } finally {
        await again.close();
        await database.drop();
      }
    }
  }

  const recordsOf = async (app: TestApp, resource: string): Promise<unknown[]> => {
    const { status, body } = await app.admin('GET', `/accounts/anna/records/${resource}?limit=500`);
    expect(status).toBe(200);
    return (body['data'] as Record<string, unknown>[]).map(({ time, value }) => [time, value]);
  };

  it('undoes processing, which is repeated, but no acknowledged delivery', async () => {
    const service = await TestApp.create({ webhooks: false });
    const { users } = await service.sandbox.control.createUsers({ client_user_id: 'anna' });
    const anna = users[0] as unknown as User;
    const ids = Array.from({ length: 80 }, (_, index) => `delivery-${index}`);
    for (const [hour, id] of ids.entries()) {
      const start = new Date(Date.parse('2026-10-01T00:00:00Z') + hour * HOUR).toISOString();
      const content = event('daily.data.mindfulness_minutes.created', anna, mindfulness({ start, value: hour + 1 }));
      expect(await deliver(service, content, { id })).toBe(204);
    }
    const durable = logBytes(service.database);
    await processed(service);
    const expected = await recordsOf(service, 'mindfulness_minutes');
    expect(expected).toHaveLength(ids.length);
    let undone = 0;
    await afterEachLoss(service, durable, async (app) => {
      const left = await messagesOf(app).all();
      expect(left.map(({ message_id }) => message_id).sort()).toEqual([...ids].sort());
      undone += left.filter(({ status }) => status !== 'done').length;
      await app.settle();
      expect((await messagesOf(app).all()).map(({ status }) => status)).toEqual(ids.map(() => 'done'));
      expect(await recordsOf(app, 'mindfulness_minutes')).toEqual(expected);
    });
    expect(undone).toBeGreaterThan(ids.length);
    await service.close();
  });

  it('makes a pull continue at an earlier page', async () => {
    const world = await SyncWorld.create();
    await world.sandbox.control.configure({ page_size: 20 });
    const account = await world.account(world.service, 'anna');
    await world.data(account.userId, 'mindfulness_minutes', { days: 30, per_day: 10 });
    await world.request(world.service, account.ref);
    const { app, backfill } = world.service;
    const durable = logBytes(app.database);
    await backfill.runUntilIdle();
    const expected = await recordsOf(app, 'mindfulness_minutes');
    expect(expected).toHaveLength(300);
    const pages = new Set<number>();
    await afterEachLoss(app, durable, async (again) => {
      pages.add((await again.table(PullTaskEntity).only()).pages);
      await again.run(PullWorker);
      expect(await again.table(PullTaskEntity).only()).toMatchObject({ status: 'done', pages: 15, records: 300 });
      expect(await recordsOf(again, 'mindfulness_minutes')).toEqual(expected);
    });
    expect(pages.size).toBe(cutsOfEach);
    await world.close();
  });
});
