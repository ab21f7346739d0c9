import type { DataSource } from 'typeorm';
import { KeyOfASample1763701700000 } from '../../migrations/1763701700000-key-of-a-sample.js';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { observationIdsAt } from '../../src/health-data/record.entity.js';
import { migrate } from '../../src/schema/migrate.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 1, 12);
const seen = (at: number): number => observationIdsAt(at).first;

/** A series as it was before: device, workout and sport were part of its key. */
interface OldSeries {
  readonly device?: string;
  readonly provider?: string;
  readonly sub?: string;
  readonly samples: readonly [time: number, value: number, observation: number][];
}

describe('the migration to the key of a sample', () => {
  let database: TestDatabase;
  let source: DataSource;
  let later: DataSource['migrations'];

  beforeEach(async () => {
    database = await testDatabase('unmigrated');
    source = await openWriter(database.config, entities);
    const all = [...source.migrations];
    const index = all.findIndex(({ name }) => name === new KeyOfASample1763701700000().name);
    later = source.migrations.splice(index);
    await source.runMigrations();
    await source.query(
      `INSERT INTO accounts (id, account_id, status, created_at, updated_at) VALUES (1, 'a', 'active', 1, 1)`,
    );
    await source.query(`INSERT INTO sample_attributes (content, account_id) VALUES ('{"unit":"count"}', 0)`);
  });

  afterEach(async () => {
    await source.destroy();
    await database.drop();
  });

  async function observed(
    kind: 'message' | 'sync',
    ref: number,
    at: number,
    page: number | null = null,
  ): Promise<number> {
    await source.query(
      `INSERT INTO observations (id, kind, ref, page) VALUES (${seen(at)}, '${kind}', ${ref}, ${page ?? 'NULL'})`,
    );
    return seen(at);
  }

  async function series({ device = '', provider = 'garmin', sub = '', samples }: OldSeries): Promise<void> {
    const [row] = await source.query<{ id: number }[]>(
      `INSERT INTO series (account_id, resource, provider, source_type, device_id, workout_id, sport, sub_series,
         floating_time, created_at) VALUES (1, 'steps', '${provider}', 'watch', '${device}', '', '', '${sub}', 0, 1)
       RETURNING id`,
    );
    for (const [time, value, observation] of samples) {
      await source.query(`INSERT INTO samples (series_id, time, value, attributes_id, observation_id)
        VALUES (${row?.id}, ${time}, ${value}, 1, ${observation})`);
    }
  }

  async function migrated(): Promise<{ merged: number; samples: string[]; series: number; pulls: unknown[] }> {
    source.migrations.push(...later);
    const { merged } = await migrate(source, database.config, 0);
    const rows = await source.query<Record<string, string | number>[]>(
      `SELECT s.provider, s.sub_series, p.time, p.sibling, a.device_id, a.content, p.value
       FROM samples p JOIN series s ON s.id = p.series_id
         JOIN sample_groups g ON g.id = p.group_id JOIN sample_attributes a ON a.id = g.attributes_id
       ORDER BY s.provider, s.sub_series, p.time, p.sibling`,
    );
    const [counted] = await source.query<{ series: string | number }[]>('SELECT COUNT(*) AS series FROM series');
    const pulls = await source.query<Record<string, string | number>[]>(
      `SELECT provider, resource, origin, status, window_start, window_end FROM sync_tasks`,
    );
    expect(new Set(rows.map(({ content }) => content))).toEqual(new Set(['{"unit":"count"}']));
    return {
      merged: merged.get('KeyOfASample1763701700000') ?? 0,
      samples: rows.map(({ provider, sub_series, time, device_id, value }) =>
        [provider, sub_series, (Number(time) - noon) / hour, device_id, value]
          .map((part) => (part === '' ? '-' : part))
          .join(' '),
      ),
      series: Number(counted?.series),
      pulls: pulls.map((row) => ({
        ...row,
        window_start: Number(row['window_start']),
        window_end: Number(row['window_end']),
      })),
    };
  }

  it('merges what was stored with and without its device, the newest observation first', async () => {
    const before = await observed('sync', 1, 1_000, 0);
    const known = await observed('sync', 2, 2_000, 0);
    await series({
      samples: [
        [noon, 10, before],
        [noon + hour, 11, before],
        [noon + 2 * hour, 12, before],
      ],
    });
    await series({
      device: 'd1',
      samples: [
        [noon, 10, known],
        [noon + hour, 15, known],
        [noon + 3 * hour, 13, known],
      ],
    });
    expect(await migrated()).toEqual({
      merged: 2,
      samples: ['garmin - 0 d1 10', 'garmin - 1 d1 15', 'garmin - 2 - 12', 'garmin - 3 d1 13'],
      series: 1,
      pulls: [],
    });
  });

  it('keeps siblings that one page, or one pull, showed', async () => {
    const older = await observed('sync', 1, 1_000, 0);
    const first = await observed('sync', 2, 2_000, 0);
    const second = await observed('sync', 2, 2_500, 1);
    await series({ samples: [[noon, 9, older]] });
    await series({
      device: 'd1',
      samples: [
        [noon, 10, first],
        [noon + hour, 20, first],
      ],
    });
    await series({
      device: 'd2',
      samples: [
        [noon, 11, first],
        [noon + hour, 21, second],
      ],
    });
    expect(await migrated()).toMatchObject({
      merged: 1,
      samples: ['garmin - 0 d1 10', 'garmin - 0 d2 11', 'garmin - 1 d1 20', 'garmin - 1 d2 21'],
      pulls: [],
    });
  });

  it('asks for a stretch again of which a message showed one device last', async () => {
    const page = await observed('sync', 1, 1_000, 0);
    const message = await observed('message', 1, 2_000);
    await series({ device: 'd1', samples: [[noon + 1, 10, page]] });
    await series({ device: 'd2', samples: [[noon + 1, 11, message]] });
    expect(await migrated()).toMatchObject({
      merged: 1,
      samples: [expect.stringContaining('d2 11')],
      pulls: [
        {
          ...{ provider: 'garmin', resource: 'steps', origin: 'reread', status: 'pending' },
          ...{ window_start: noon - hour, window_end: noon + 2 * hour },
        },
      ],
    });
  });

  it('says in the log how many samples it merged, and nothing else of them', async () => {
    const [before, known] = [await observed('sync', 1, 1_000, 0), await observed('sync', 2, 2_000, 0)];
    await series({ samples: [[noon, 98765, before]] });
    await series({ device: 'wristband', samples: [[noon, 98766, known]] });
    const app = await TestApp.create({ database });
    const lines = app.logs.filter((line) => line.includes('KeyOfASample1763701700000'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'migration.ran', count: 1 }]);
    expect(app.logs.join('')).not.toMatch(/9876[56]|wristband/);
    await app.close();
  });

  it('leaves other sources and sub-series apart', async () => {
    const page = await observed('sync', 1, 1_000, 0);
    await series({ samples: [[noon, 1, page]] });
    await series({ provider: 'oura', samples: [[noon, 2, page]] });
    await series({ sub: 'run', samples: [[noon, 3, page]] });
    expect(await migrated()).toEqual({
      merged: 0,
      samples: ['garmin - 0 - 1', 'garmin run 0 - 3', 'oura - 0 - 2'],
      series: 3,
      pulls: [],
    });
  });
});
