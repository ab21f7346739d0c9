// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import fc from 'fast-check';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { HealthDataRepository } from '../../../src/health/health-data/health-data.repository.js';
import { HealthDataService } from '../../../src/health/health-data/health-data.service.js';
import { judgeSummary } from '../../../src/health/health-data/order-rule.js';
import { observedAt, PER_MILLISECOND } from '../../../src/health/health-data/record.entity.js';
import { SeriesIndex } from '../../../src/health/health-data/series-index.repository.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

const sleep = resourceByName('sleep') as Resource;
const noon = Date.UTC(2026, 10, 1, 12);
const iso = (ms: number): string => new Date(ms).toISOString();

/** Changed so many seconds after noon. */
function night(id: string, version: number, score: number) {
  const updated = iso(noon + version * 1000);
  const object = { id, bedtime_start: iso(noon), bedtime_stop: iso(noon + 1), updated_at: updated, score };
  return { ...object, source: { provider: 'oura', type: 'ring' } };
}

describe('summaries', () => {
  let store: TestStore;
  let service: HealthDataService;
  let account: number;
  let ref = 0;

  beforeEach(async () => {
    store = await testStore();
    service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new FakeClock(noon));
    const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('a', 'active', 0, 0) RETURNING id`;
    const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql));
    account = row?.id ?? 0;
  });

  afterEach(() => store.close());

  function look(kind: 'message' | 'sync', at: number, records: Records) {
    const own = ++ref;
    return store.lane.run((tx) => service.apply(tx, { account, records, provenance: { kind, ref: own, at } }));
  }

  async function scoreOf(summary: string): Promise<unknown> {
    const sql = 'SELECT raw FROM summaries WHERE summary_id = ?';
    const row = await store.reader.row<{ raw: string }>(sql, [summary]);
    return JSON.parse(row?.raw ?? '{}').score;
  }

  it('stores what the rule says, whatever upstream says of the future [summaries#key-and-version]', async () => {
    let id = 0;
    const years = 70 * 365 * 86_400;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            at: fc.integer({ min: noon, max: noon + 1_500_000 }),
            version: fc.constantFrom(1, 2, 3, 700, 1_400, 3_000, years, years + 1),
          }),
          { selector: (l) => l.at, minLength: 1, maxLength: 8 },
        ),
        async (looks) => {
          const summary = `s${++id}`;
          let stored: { version: number; observation: number } | null = null;
          for (const { at, version } of looks) {
            await look('message', at, mapSummaries(sleep, [night(summary, version, at)]));
            const incoming = { version: (noon + version * 1_000) * 1_000, observation: at * PER_MILLISECOND };
            if (judgeSummary(stored, incoming)) stored = incoming;
          }
          expect(await scoreOf(summary)).toBe(observedAt(stored?.observation ?? 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('ends as upstream has a summary, in whatever order the messages come', async () => {
    let id = 0;
    const inTheFuture = 70 * 365 * 86_400;
    const told = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
    const arrival = told.chain((isWrong) => {
      const places = isWrong.map((_, place) => place);
      return fc.tuple(fc.constant(isWrong), fc.shuffledSubarray(places, { minLength: places.length }));
    });
    await fc.assert(
      fc.asyncProperty(arrival, async ([isWrong, places]) => {
        const summary = `t${++id}`;
        const nights = isWrong.map((wrong, place) => night(summary, wrong ? inTheFuture : place, place));
        let asked = false;
        for (const [turn, place] of places.entries()) {
          const message = mapSummaries(sleep, [nights[place]]);
          asked ||= (await look('message', noon + 10_000 + turn, message)).conflicts.length > 0;
        }
        if (asked) await look('sync', noon + 20_000, mapSummaries(sleep, [nights.at(-1)]));
        expect(await scoreOf(summary)).toBe(nights.length - 1);
      }),
      { numRuns: 100 },
    );
  });

  it('asks upstream where a message says something else of the same version', async () => {
    await look('sync', noon + 1_000, mapSummaries(sleep, [night('a', 1, 80)]));
    expect((await look('message', noon + 2_000, mapSummaries(sleep, [night('a', 1, 80)]))).conflicts).toEqual([]);
    const { conflicts } = await look('message', noon + 3_000, mapSummaries(sleep, [night('a', 1, 81)]));
    expect(conflicts).toEqual([{ provider: 'oura', start: noon - 1.5 * 86_400_000, end: noon + 86_400_000 }]);
    expect((await look('sync', noon + 4_000, mapSummaries(sleep, [night('a', 1, 80)]))).conflicts).toEqual([]);
    expect(await scoreOf('a')).toBe(80);
  });
});
