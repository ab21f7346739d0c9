import { SampleGroups1763704000000 } from '../../migrations/1763704000000-sample-groups.js';
import { fromTextValue, textValueOf } from '../../src/health-data/record.entity.js';
import { BeforeMigration } from '../support/before-migration.js';

/** As samples were before: series, time, sibling, value, value2, text_value, duration_ms, attributes, observation. */
const before = [
  [1, 1_000, 0, 60, null, null, null, 1, 64_000],
  [1, 1_000, 1, 61, null, null, 5, 2, 64_000],
  [1, 2_000, 0, 62.5, null, null, null, 1, 64_000],
  [1, 3_000, 0, 63, null, null, null, 1, 128_000],
  [2, -5, 0, 120, 80, null, null, 1, 64_001],
  [2, -4, 0, 121.5, 79.1, null, null, 1, 64_001],
  [2, -3, 0, 121, 1 / 3, null, null, 1, 64_001],
  [3, 1_000, 0, null, null, 'slept badly', null, 1, 64_002],
  [3, 2_000, 0, null, null, '80', null, 1, 64_002],
] as const;

describe('the migration to groups of samples', () => {
  let old: BeforeMigration;

  beforeEach(async () => {
    old = await BeforeMigration.of(new SampleGroups1763704000000());
  });

  afterEach(() => old.close());

  const sql = (text: string): Promise<Record<string, unknown>[]> => old.sql(text);

  it('keeps every sample with its attributes and its observation', async () => {
    await sql(`INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (1, 'a', 'active', 1, 1)`);
    for (const resource of ['heartrate', 'blood_pressure', 'note']) {
      await sql(`INSERT INTO series (account_id, resource, provider, source_type, sub_series, floating_time, created_at)
        VALUES (1, '${resource}', 'oura', 'ring', '', 0, 1)`);
    }
    for (const row of before) {
      const values = row.map((one) => (typeof one === 'string' ? `'${one}'` : String(one ?? 'NULL')));
      await sql(`INSERT INTO samples (series_id, time, sibling, value, value2, text_value, duration_ms, attributes_id,
        observation_id) VALUES (${values.join(', ')})`);
    }

    await old.migrate();

    const after = await sql(`SELECT p.series_id, p.time, p.sibling, p.value, p.text_value, p.duration_ms,
      g.attributes_id, g.observation_id FROM samples p JOIN sample_groups g ON g.id = p.group_id
      ORDER BY p.series_id, p.time, p.sibling`);
    const number = (value: unknown): number | null => (value === null ? null : Number(value));
    const read = after.map((row) => {
      const { value2, text } = fromTextValue(number(row['value']), row['text_value'] as string | null);
      const key = [row['series_id'], row['time'], row['sibling'], row['value']].map(number);
      const rest = [row['duration_ms'], row['attributes_id'], row['observation_id']].map(number);
      return [...key, value2, text, ...rest];
    });
    expect(read).toEqual(before);
    // The same text as a page of today brings, or it would be compared at length each time.
    const diastolics = after.slice(4, 6).map((row) => row['text_value']);
    expect(diastolics).toEqual([80, 79.1].map((value2) => textValueOf({ value2, text: null })));
    expect(await sql('SELECT id FROM sample_groups')).toHaveLength(5);
  });
});
