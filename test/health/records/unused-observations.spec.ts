import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { PER_MILLISECOND } from '../../../src/health/records/observation-ids.js';

import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { writeRow } from '../../support/tables.js';
import { TestApp } from '../../support/test-app.js';
import { type Look, type Point, recordsOf } from './support/siblings.js';

const hour = 3_600_000;
const day = 24 * hour;
const account = 1;

/** The observation that a look makes at an instant, where it is alone. */
const at = (instant: number): number => instant * PER_MILLISECOND;

describe('observations that no record names', () => {
  let app: TestApp;
  let begun: number;
  const point = (value: number, minuteOfDay = 1): Point => ({ minute: minuteOfDay, device: '', value });

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false, env: { HISTORY_RETENTION_DAYS: '30' } });
    begun = app.clock.now();
    const times = { created_at: 0, updated_at: 0 };
    await writeRow(app.store, 'accounts', { id: account, account_id: 'person-1', status: 'active', ...times });
  });

  afterEach(() => app.close());

  const look = ({ points, provenance }: Look): Promise<unknown> =>
    app.store.lane.run(async (tx) => {
      const service = app.get(HealthDataService);
      return service.apply(tx, { account, records: recordsOf(points), provenance });
    });
  const pull = (id: number, over: object = {}): Promise<number> =>
    writeRow(app.store, 'sync_tasks', {
      ...{ id, account_id: account, provider: '', resource: 'steps', origin: 'schedule', priority: 10 },
      ...{ window_start: 0, window_end: 1, status: 'done', created_at: begun, finished_at: begun + day },
      ...{ pages: 0, records: 0, written: 0, rejected: 0, turns: 0, attempts: 0, restarts: 0 },
      ...over,
    });
  const pulled = async (ref: number, points: readonly Point[], instant: number): Promise<void> => {
    await pull(ref);
    await look({ points, provenance: { kind: 'sync', ref, page: 0, at: instant } });
  };
  const message = (seq: number): Promise<number> =>
    writeRow(app.store, 'messages', {
      ...{ seq, message_id: `m-${seq}`, received_at: begun, sent_at: begun, status: 'done', attempts: 1, size: 1 },
      ...{ finished_at: begun, account_id: account },
    });
  const told = (ref: number, points: readonly Point[], instant: number): Promise<unknown> =>
    look({ points, provenance: { kind: 'message', ref, at: instant } });
  const ids = async (table: string, column: string): Promise<number[]> => {
    const rows = await app.store.reader.rows<{ id: number }>(`SELECT ${column} AS id FROM ${table} ORDER BY ${column}`);
    return rows.map(({ id }) => id);
  };
  const leftAt = async (instant: number): Promise<number[]> => {
    app.clock.set(instant);
    await app.run(CleanerWorker);
    return ids('observations', 'id');
  };

  it('are deleted with their groups and pulls once they are old; the newest of each record stays', async () => {
    await pulled(1, [point(10), point(20, 2)], begun);
    await pulled(2, [point(11)], begun + hour);
    await pulled(3, [point(11), point(20, 2)], begun + 2 * hour);
    await pulled(4, [point(5, 3)], begun + 20 * day);
    await pulled(5, [point(6, 3)], begun + 20 * day + hour);
    expect(await leftAt(begun + 30 * day)).toHaveLength(5);
    const left = [begun + 2 * hour, begun + 20 * day, begun + 20 * day + hour].map(at);
    expect(await leftAt(begun + 32 * day)).toEqual(left);
    expect(await ids('sample_groups', 'observation_id')).toEqual(left);
    expect(await ids('sync_tasks', 'id')).toEqual([3, 4, 5]);
    expect(await app.metric('rows_deleted_total', { table: 'observations' })).toBe(2);
    expect((await app.store.reader.rows('SELECT 1 FROM samples JOIN sample_groups g ON g.id = group_id')).length).toBe(
      3,
    );
  });

  it('are kept while the body of their message exists, because it may be applied again', async () => {
    for (const seq of [1, 2, 3]) await message(seq);
    await told(1, [point(10)], begun);
    await told(2, [point(11)], begun + hour);
    await told(3, [point(12)], begun + 2 * hour);
    await writeRow(app.store, 'message_bodies', { seq: 2, body: Buffer.from('{}') });
    expect(await leftAt(begun + 32 * day)).toEqual([begun + hour, begun + 2 * hour].map(at));
  });

  it('are kept while their pull has not ended', async () => {
    await pull(1, { status: 'pending', finished_at: null, due_at: begun + 900 * day });
    await look({ points: [point(10)], provenance: { kind: 'sync', ref: 1, page: 0, at: begun } });
    await pulled(2, [point(11)], begun + hour);
    expect(await leftAt(begun + 32 * day)).toEqual([begun, begun + hour].map(at));
  });

  it('are not confused with those that show later times in a separate slice', async () => {
    await message(1);
    await told(1, [point(10, 5)], begun);
    await told(1, [point(20, 500)], begun);
    await told(1, [point(30, 1)], begun);
    await pulled(2, [point(11, 5), point(31, 1)], begun + hour);
    expect(await leftAt(begun + 32 * day)).toEqual([begun, begun + hour].map(at));
    await pulled(3, [point(21, 500)], begun + 2 * hour);
    expect(await leftAt(begun + 33 * day)).toEqual([begun + hour, begun + 2 * hour].map(at));
  });

  it('are found beyond the first slice', async () => {
    await pulled(
      1,
      Array.from({ length: 600 }, (_, index) => point(1, index)),
      begun,
    );
    await pull(2);
    for (let page = 0; page < 700; page++) {
      await writeRow(app.store, 'observations', { id: at(begun + 1 + page), kind: 'sync', ref: 2, page });
    }
    expect(await leftAt(begun + 32 * day)).toEqual([at(begun)]);
  });
});
