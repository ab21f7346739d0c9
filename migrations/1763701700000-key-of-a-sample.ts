import type { QueryRunner } from 'typeorm';
import { type Ddl, ddlFor, dialectOf, type MergingMigration } from './ddl.js';

const hour = 3_600_000;
const newKey = 'account_id, resource, provider, source_type, sub_series';
const details = ['device_id', 'workout_id', 'sport'];
const hasDetails = details.map((name) => `s.${name} <> ''`).join(' OR ');

/**
 * Device, workout and sport leave the key of a sample and become what is known of it. Samples that stood side by side
 * only because of them are merged under the order rule: what the newest observation of a time showed stays, and with it
 * what other pages of the same pull showed there. Where the newest was a message, which shows one device alone, the
 * stretch is read again.
 */
export class KeyOfASample1763701700000 implements MergingMigration {
  readonly name = 'KeyOfASample1763701700000';
  merged = 0;

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const ddl = ddlFor(dialect);
    for (const statement of [...widenAttributes(ddl), ...findMeetings]) await runner.query(statement);
    const [counted] = (await runner.query('SELECT COUNT(*) AS merged FROM samples_meeting WHERE kept = 0')) as {
      merged: string | number;
    }[];
    this.merged = Number(counted?.merged ?? 0);
    await runner.query(requestRereads(Date.now()));
    await runner.query('ALTER TABLE samples RENAME TO samples_before');
    if (dialect === 'postgres') await runner.query('ALTER INDEX samples_pkey RENAME TO samples_before_pkey');
    for (const statement of [...moveSamples(ddl), ...narrowSeries, ...indexObservations]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}

function widenAttributes({ text }: Ddl): string[] {
  return [
    ...details.map((name) => `ALTER TABLE sample_attributes ADD COLUMN ${name} ${text} NOT NULL DEFAULT ''`),
    'DROP INDEX sample_attributes_content',
    `CREATE UNIQUE INDEX sample_attributes_content ON sample_attributes (content, account_id, ${details.join(', ')})`,
    `INSERT INTO sample_attributes (content, account_id, ${details.join(', ')})
      SELECT DISTINCT a.content, s.account_id, s.device_id, s.workout_id, s.sport
      FROM series s JOIN samples p ON p.series_id = s.id JOIN sample_attributes a ON a.id = p.attributes_id
      WHERE ${hasDetails}`,
  ];
}

/** The series each becomes, and the samples that would meet there at one time, with what the newest of them was. */
const findMeetings = [
  `CREATE TABLE series_merge AS
    SELECT id AS old_id, MIN(id) OVER (PARTITION BY ${newKey}) AS new_id, COUNT(*) OVER (PARTITION BY ${newKey}) AS parts
    FROM series`,
  'CREATE UNIQUE INDEX series_merge_old_id ON series_merge (old_id)',
  `CREATE TABLE samples_meeting AS
    SELECT series_id, time, new_id, newest_kind, kept,
      ROW_NUMBER() OVER (PARTITION BY new_id, time, kept ORDER BY series_id) - 1 AS sibling
    FROM (
      SELECT series_id, time, new_id, newest_kind, together,
        CASE WHEN observation_id = newest OR (kind = 'sync' AND newest_kind = 'sync' AND ref = newest_ref)
          THEN 1 ELSE 0 END AS kept
      FROM (
        SELECT p.series_id, p.time, m.new_id, p.observation_id, o.kind, o.ref,
          COUNT(*) OVER (PARTITION BY m.new_id, p.time) AS together,
          FIRST_VALUE(p.observation_id) OVER newest_first AS newest,
          FIRST_VALUE(o.kind) OVER newest_first AS newest_kind,
          FIRST_VALUE(o.ref) OVER newest_first AS newest_ref
        FROM series_merge m JOIN samples p ON p.series_id = m.old_id
          LEFT JOIN observations o ON o.id = p.observation_id
        WHERE m.parts > 1
        WINDOW newest_first AS (PARTITION BY m.new_id, p.time ORDER BY p.observation_id DESC, p.series_id DESC)
      ) AS seen WHERE together > 1
    ) AS judged`,
  'CREATE UNIQUE INDEX samples_meeting_key ON samples_meeting (series_id, time)',
];

/** One pull for each stream, an hour longer at both ends; `hypnogram` is the one timeseries that cannot be pulled. */
function requestRereads(now: number): string {
  return `INSERT INTO sync_tasks (account_id, provider, resource, origin, priority, window_start, window_end, status,
      pages, records, written, rejected, turns, attempts, restarts, due_at, created_at)
    SELECT s.account_id, s.provider, s.resource, 'reread', 30, MIN(c.time) - MIN(c.time) % ${hour} - ${hour},
      MAX(c.time) - MAX(c.time) % ${hour} + 2 * ${hour}, 'pending', 0, 0, 0, 0, 0, 0, 0, ${now}, ${now}
    FROM samples_meeting c JOIN series s ON s.id = c.new_id
    WHERE c.kept = 0 AND c.newest_kind = 'message' AND s.resource <> 'hypnogram'
    GROUP BY s.account_id, s.provider, s.resource`;
}

function moveSamples({ int, real, text, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE samples (
      series_id ${int} NOT NULL, time ${int} NOT NULL, sibling ${int} NOT NULL, value ${real}, value2 ${real},
      text_value ${text}, duration_ms ${int}, attributes_id ${int} NOT NULL, observation_id ${int} NOT NULL,
      PRIMARY KEY (series_id, time, sibling),
      CONSTRAINT "samples_series" FOREIGN KEY ("series_id") REFERENCES "series" ("id")
    ) ${clustered}`,
    `INSERT INTO samples (series_id, time, sibling, value, value2, text_value, duration_ms, attributes_id, observation_id)
      SELECT m.new_id, p.time, COALESCE(c.sibling, 0), p.value, p.value2, p.text_value, p.duration_ms,
        COALESCE(n.id, p.attributes_id), p.observation_id
      FROM samples_before p JOIN series_merge m ON m.old_id = p.series_id JOIN series s ON s.id = p.series_id
        LEFT JOIN samples_meeting c ON c.series_id = p.series_id AND c.time = p.time
        LEFT JOIN sample_attributes a ON a.id = p.attributes_id AND (${hasDetails})
        LEFT JOIN sample_attributes n ON n.content = a.content AND n.account_id = s.account_id
          AND n.device_id = s.device_id AND n.workout_id = s.workout_id AND n.sport = s.sport
      WHERE COALESCE(c.kept, 1) = 1`,
    'DROP TABLE samples_before',
    'CREATE INDEX samples_siblings ON samples (series_id, time) WHERE sibling > 0',
  ];
}

const narrowSeries = [
  'DELETE FROM series WHERE id IN (SELECT old_id FROM series_merge WHERE old_id <> new_id)',
  'DROP TABLE samples_meeting',
  'DROP TABLE series_merge',
  'DROP INDEX series_natural_key',
  ...details.map((name) => `ALTER TABLE series DROP COLUMN ${name}`),
  `CREATE UNIQUE INDEX series_natural_key ON series (${newKey})`,
];

const indexObservations = [
  'DROP INDEX observations_kind_ref',
  'CREATE INDEX observations_kind_ref_page ON observations (kind, ref, page)',
];
