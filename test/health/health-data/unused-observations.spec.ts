import { HealthDataService } from '../../../src/health/health-data/health-data.service.js';
import { observationIdsAt } from '../../../src/health/health-data/record.entity.js';
import { UnusedObservationsWorker } from '../../../src/health/health-data/unused-observations.worker.js';
import { writeRow } from '../../support/tables.js';
import { TestApp } from '../../support/test-app.js';
import { type Look, type Point, recordsOf } from './support/siblings.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const account = 1;

/** The observation that a look makes at an instant, where it is alone. */
const at = (instant: number): number => observationIdsAt(instant).first;

describe('observations that no record names', () => {
  let app: TestApp;
  let begun: number;
  const point = (value: number, minuteOfDay = 1): Point => ({ minute: minuteOfDay, device: '', value });

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false });
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
  const pulled = (ref: number, points: readonly Point[], instant: number): Promise<unknown> =>
    look({ points, provenance: { kind: 'sync', ref, page: 0, at: instant } });
  const passAt = async (instant: number): Promise<void> => {
    app.clock.set(instant);
    await app.run(UnusedObservationsWorker);
  };
  const left = async (): Promise<{ id: number; marked: boolean }[]> => {
    const sql = 'SELECT id, unused_since FROM observations ORDER BY id';
    const rows = await app.store.reader.rows<{ id: number; unused_since: number | null }>(sql);
    return rows.map(({ id, unused_since }) => ({ id, marked: unused_since !== null }));
  };

  it('are marked on one day and deleted on the next; the newest of each record stays', async () => {
    await pulled(1, [point(10), point(20, 2)], begun);
    await pulled(2, [point(11)], begun + hour);
    await pulled(3, [point(11), point(20, 2)], begun + 2 * hour);
    await pulled(4, [point(5, 3)], begun + 20 * day);
    await pulled(5, [point(6, 3)], begun + 20 * day + hour);
    const named = [{ id: at(begun + 2 * hour), marked: false }];
    const young = [at(begun + 20 * day), at(begun + 20 * day + hour)].map((id) => ({ id, marked: false }));

    await passAt(begun + 21 * day);
    const marked = [at(begun), at(begun + hour)].map((id) => ({ id, marked: true }));
    expect(await left()).toEqual([...marked, ...named, ...young]);

    await passAt(begun + 21 * day + hour);
    expect(await left()).toHaveLength(5);

    await passAt(begun + 22 * day);
    expect(await left()).toEqual([...named, ...young]);
    expect(await app.metric('observations_deleted_total')).toBe(2);
    const groups = await app.store.reader.rows<{ observation_id: number }>(
      'SELECT observation_id FROM sample_groups ORDER BY observation_id',
    );
    expect(groups.map(({ observation_id }) => observation_id)).toEqual([...named, ...young].map(({ id }) => id));
  });

  it('are kept where the same message or page is observed again in between', async () => {
    await pulled(1, [point(10)], begun);
    await pulled(2, [point(11)], begun + hour);
    await passAt(begun + 21 * day);
    await look({ points: [point(7, 9)], provenance: { kind: 'sync', ref: 1, page: 0, at: begun } });
    await passAt(begun + 22 * day);
    await passAt(begun + 23 * day);
    expect(await left()).toEqual([at(begun), at(begun + hour)].map((id) => ({ id, marked: false })));
  });

  it('are no longer marked once a record names them', async () => {
    await pulled(1, [point(10)], begun);
    await app.store.lane.run((tx) => tx.execute('UPDATE observations SET unused_since = 1'));
    await passAt(begun + 21 * day);
    expect(await left()).toEqual([{ id: at(begun), marked: false }]);
  });

  it('are found among more records and observations than one slice holds', async () => {
    const minutes = Array.from({ length: 2_500 }, (_, index) => index);
    await pulled(
      1,
      minutes.map((at) => point(1, at)),
      begun,
    );
    for (const index of minutes) {
      await writeRow(app.store, 'observations', { id: at(begun + 1 + index), kind: 'sync', ref: 9, page: index });
    }
    await passAt(begun + 21 * day);
    await passAt(begun + 22 * day);
    expect(await left()).toEqual([{ id: at(begun), marked: false }]);
  });

  it('leave the first passage to an hour after the start', async () => {
    await pulled(1, [point(10)], begun - 20 * day);
    await pulled(2, [point(11)], begun - 19 * day);
    await passAt(begun + hour - 1);
    expect((await left()).filter(({ marked }) => marked)).toEqual([]);
    await passAt(begun + hour);
    expect((await left()).filter(({ marked }) => marked)).toHaveLength(1);
  });
});
