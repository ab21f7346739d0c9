import fc from 'fast-check';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../src/health/catalogue/map-records.js';
import { sliceRecords } from '../../../src/health/catalogue/records.js';
import { HealthDataRepository, samplesQuery } from '../../../src/health/records/health-data.repository.js';
import { type Applied, HealthDataService } from '../../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../../src/health/records/series-index.repository.js';
import { sqliteGivenText } from '../../../src/storage/database/bulk.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { form, iso, type Look, noon, type Point, recordsOf, steps } from './support/siblings.js';
import { utcDays } from './support/utc-days.js';

describe('siblings', () => {
  let store: TestStore;
  let service: HealthDataService;
  let account: number;
  let accounts = 0;
  let refs = 0;

  beforeAll(async () => {
    store = await testStore();
    service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(noon), utcDays);
  });
  beforeEach(() => newAccount());
  afterAll(() => store.close());

  async function newAccount(): Promise<void> {
    const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
    const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [`s${++accounts}`]));
    account = row?.id ?? 0;
  }

  /** Slices of `most` samples, as large pages are written. */
  async function apply({ points, provenance }: Look, most = 200): Promise<Applied[]> {
    const applied: Applied[] = [];
    for (const slice of sliceRecords(recordsOf(points), most)) {
      applied.push(await store.lane.run((tx) => service.apply(tx, { account, records: slice, provenance })));
    }
    return applied;
  }

  const event = (at: number, ...points: Point[]): Look => ({
    points,
    provenance: { kind: 'message', ref: ++refs, at },
  });

  function pull(at: number, ...pages: Point[][]): Look[] {
    const ref = ++refs;
    return pages.map((points, page) => ({ points, provenance: { kind: 'sync', ref, page, at: at + page * 4 } }));
  }

  async function applyAll(looks: readonly Look[]): Promise<{ start: number; end: number }[]> {
    const conflicts: { start: number; end: number }[] = [];
    for (const look of looks) for (const applied of await apply(look)) conflicts.push(...applied.conflicts);
    return conflicts;
  }

  async function stored(): Promise<Point[]> {
    const rows = await store.reader.rows<{ time: number; device_id: string; value: number }>(
      `SELECT p.time, a.device_id, p.value FROM samples p JOIN series s ON s.id = p.series_id
       JOIN sample_groups g ON g.id = p.group_id JOIN sample_attributes a ON a.id = g.attributes_id WHERE s.account_id = ? ORDER BY p.time, p.sibling`,
      [account],
    );
    return rows.map(({ time, device_id, value }) => ({ minute: (time - noon) / 60_000, device: device_id, value }));
  }

  const at = (minute: number, device: string, value: number): Point => ({ minute, device, value });
  const day = (device: string): Point[] => Array.from({ length: 24 }, (_, hour) => at(hour, device, 100 + hour));

  it('do not arise from the same samples with and without their device [timeseries#siblings]', async () => {
    for (const [index, device] of ['', 'a', '', 'b'].entries()) {
      await applyAll(pull(1_000 * (index + 1), day(device)));
      expect(await stored()).toEqual(day(device));
    }
    expect(await applyAll([event(9_000, ...day('a'))])).toEqual([
      { provider: 'garmin', start: noon, end: noon + 23 * 60_000 },
    ]);
    expect(await stored()).toEqual(day('a'));
  });

  it('stay if one response shows them, on one page or on several', async () => {
    const both = [at(0, 'a', 10), at(0, 'b', 20)];
    expect(await applyAll(pull(1_000, both))).toEqual([]);
    expect(await stored()).toEqual(both);
    expect(await applyAll(pull(2_000, [], [both[1] as Point], [], [both[0] as Point]))).toEqual([]);
    expect(form(await stored())).toEqual(form(both));
    expect(await applyAll(pull(3_000, [at(0, '', 25)]))).toEqual([]);
    expect(await stored()).toEqual([at(0, '', 25)]);
  });

  it('are those of the stored page, not of an interrupted attempt', async () => {
    const [first, second] = pull(1_000, [at(0, 'a', 10)], [at(1, 'a', 11)]) as [Look, Look];
    await applyAll([first, second]);
    const again = { points: [at(1, '', 11)], provenance: { ...second.provenance, at: 5_000 } };
    await applyAll([again]);
    expect(await stored()).toEqual([at(0, 'a', 10), at(1, '', 11)]);
    const restarted = { points: [at(0, '', 10)], provenance: { ...first.provenance, at: 9_000 } };
    await applyAll([restarted, { points: [at(0, 'b', 12)], provenance: { ...second.provenance, at: 9_500 } }]);
    expect(form(await stored())).toEqual(form([at(0, '', 10), at(0, 'b', 12), at(1, '', 11)]));
  });

  it('are replaced one by one by events, and pulled again if an event names none of them', async () => {
    await applyAll(pull(1_000, [at(0, 'a', 10), at(0, 'b', 20)]));
    expect(await applyAll([event(2_000, at(0, 'b', 21))])).toHaveLength(1);
    expect(form(await stored())).toEqual(form([at(0, 'a', 10), at(0, 'b', 21)]));
    expect(await applyAll([event(3_000, at(0, '', 31))])).toHaveLength(1);
    expect(form(await stored())).toEqual(form([at(0, 'a', 10), at(0, 'b', 21)]));
  });

  it('are pulled again if a message changed one between the pages of a pull', async () => {
    const [first, second] = pull(1_000, [at(0, 'a', 10)], [at(0, 'b', 20)]) as [Look, Look];
    expect(await applyAll([first, event(1_002, at(0, 'a', 10))])).toEqual([]);
    expect(await applyAll([second])).toHaveLength(1);
  });

  it('are kept if a page is written in slices', async () => {
    const both = [...day('a'), ...day('b')];
    const [page] = pull(1_000, both) as [Look];
    for (const most of [1, 7]) {
      await apply(page, most);
      expect(form(await stored())).toEqual(form(both));
    }
  });

  it('may be two workouts of one time', async () => {
    const source = { provider: 'garmin', type: 'watch' };
    const data = [{ start: iso(0), end: iso(1), value: 5, unit: 'min' }];
    const groups = ['w1', 'w2'].map((workout_id) => ({ source: { ...source, workout_id }, data }));
    const records = mapGroups(resourceByName('workout_duration') as Resource, groups);
    await store.lane.run(async (tx) => {
      const look = { kind: 'sync', ref: ++refs, page: 0, at: 1 } as const;
      return service.apply(tx, { account, records, provenance: look });
    });
    expect(await stored()).toHaveLength(2);
  });

  it('are not confused by separators in their texts', async () => {
    const sources = [
      { provider: 'a\nb', type: 'c' },
      { provider: 'a', type: 'b\nc' },
      { provider: 'x', type: 'y', device_id: 'd\ne', sport: 'f' },
      { provider: 'x', type: 'y', device_id: 'd', sport: 'e\nf' },
    ];
    const data = [{ start: iso(0), end: iso(1), value: 5, unit: 'count' }];
    const records = mapGroups(
      steps,
      sources.map((source) => ({ source, data })),
    );
    await store.lane.run(async (tx) => {
      const look = { kind: 'sync', ref: ++refs, page: 0, at: 1 } as const;
      return service.apply(tx, { account, records, provenance: look });
    });
    expect(await stored()).toHaveLength(4);
  });

  it('are found by their key', async () => {
    if (store.reader.dialect !== 'sqlite') return;
    const given = samplesQuery.columns.map(() => 1);
    const sql = `EXPLAIN QUERY PLAN ${sqliteGivenText(samplesQuery, 1)}`;
    const steps = (await store.reader.rows<{ detail: string }>(sql, given)).map(({ detail }) => detail).join();
    expect(steps).toMatch(/SEARCH p USING PRIMARY KEY \(series_id=\? AND time>\? AND time<\?\)/);
  });

  const minutes = [0, 1, 2];
  const arbitraryStep = fc.oneof(
    fc.record({
      step: fc.constant('change' as const),
      minutes: fc.subarray(minutes, { minLength: 1 }),
      devices: fc.constantFrom([''], ['a'], ['b'], ['a', 'b']),
      value: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ step: fc.constant('event' as const), pick: fc.nat(), late: fc.boolean() }),
    fc.record({ step: fc.constant('pull' as const), pages: fc.integer({ min: 1, max: 3 }) }),
  );

  it('end as in upstream, for any order of events and pages, and never count a time twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryStep, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        async (history, numbers) => {
          await newAccount();
          const dice = endless(numbers);
          // Only so many observations fit into one millisecond.
          const upstream = new Upstream(dice, accounts * 10_000);
          const waiting = upstream.looksOf(history, { event, pull });
          let asked = 0;
          while (waiting.length > 0) {
            const at = dice() % waiting.length;
            const look = waiting[at]?.shift();
            if (look) asked += (await apply(look, 1 + (dice() % 3))).flatMap(({ conflicts }) => conflicts).length;
            if (waiting[at]?.length === 0) waiting.splice(at, 1);
            upstream.expectNothingTwice(await stored());
          }
          if (asked > 0) expect(await applyAll(upstream.reread(pull))).toEqual([]);
          expect(form(await stored())).toEqual(form(upstream.points()));
        },
      ),
      { numRuns: 150 },
    );
  });
});

type Dice = () => number;
type Step =
  | { step: 'change'; minutes: number[]; devices: readonly string[]; value: number }
  | { step: 'event'; pick: number; late: boolean }
  | { step: 'pull'; pages: number };

function endless(numbers: readonly number[]): Dice {
  let next = 0;
  return () => numbers[next++ % numbers.length] ?? 0;
}

/** What upstream has, how it changes, and what it ever showed side by side. */
class Upstream {
  private readonly byMinute = new Map<number, Point[]>([[0, [{ minute: 0, device: '', value: 1 }]]]);
  private readonly shown = new Set<string>();

  constructor(
    private readonly dice: Dice,
    private now: number,
  ) {}

  points(): Point[] {
    return [...this.byMinute.values()].flat();
  }

  /**
   * Messages and pulls as they were made, the last of them a pull of everything; late messages come between its pages
   * or after it.
   */
  looksOf(
    history: readonly Step[],
    made: { event: (at: number, ...points: Point[]) => Look; pull: (at: number, ...pages: Point[][]) => Look[] },
  ): Look[][] {
    const looks: Look[][] = [];
    const late: Point[][] = [];
    for (const step of history) {
      this.now += 10;
      if (step.step === 'change') this.change(step);
      if (step.step === 'pull') looks.push(made.pull(this.now, ...this.pages(step.pages)));
      if (step.step !== 'event') continue;
      const device = this.points()[step.pick % this.points().length]?.device;
      const points = this.points().filter((point) => point.device === device);
      if (step.late) late.push(points);
      else looks.push([made.event(this.now, ...points)]);
    }
    this.now += 10;
    looks.push(made.pull(this.now, ...this.pages(1 + (this.dice() % 3))));
    for (const points of late) looks.push([made.event(this.now + 2 + (this.dice() % 4) * 4, ...points)]);
    return looks;
  }

  reread(pull: (at: number, ...pages: Point[][]) => Look[]): Look[] {
    this.now += 100;
    return pull(this.now, ...this.pages(1 + (this.dice() % 3)));
  }

  /** More than one sample of a time only of devices that one answer showed there. */
  expectNothingTwice(stored: readonly Point[]): void {
    for (const minute of new Set(stored.map((point) => point.minute))) {
      const devices = stored.filter((point) => point.minute === minute).map(({ device }) => device);
      if (devices.length > 1) expect([...this.shown]).toContain(nameOf(minute, devices));
    }
  }

  private change({ minutes, devices, value }: Extract<Step, { step: 'change' }>): void {
    for (const minute of minutes) {
      const made = devices.map((device, index) => ({ minute, device, value: value + index * 10 }));
      this.byMinute.set(minute, made);
    }
  }

  /** Siblings may lie on any of the pages. */
  private pages(count: number): Point[][] {
    const pages = Array.from({ length: count }, (): Point[] => []);
    for (const [minute, points] of this.byMinute) {
      this.shown.add(
        nameOf(
          minute,
          points.map(({ device }) => device),
        ),
      );
      for (const point of points) pages[this.dice() % count]?.push(point);
    }
    return pages;
  }
}

function nameOf(minute: number, devices: readonly string[]): string {
  return `${minute} ${[...devices].sort().join('+')}`;
}
