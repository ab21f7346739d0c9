import { entities } from '../../src/app/rooms.js';
import { firstObservationAt } from '../../src/health/records/observation-ids.js';

import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import type { Tx } from '../../src/storage/database/tx.js';
import { configOf } from './seed.js';

/* A store of 20 million samples, written without Pulsekeep: each series has one per minute until now. */

/** `accounts.id` of an account with 2 million samples and 5,000 summaries, and of one with 4,000 and 50. */
export const [large, small] = [1, 2];
export const accounts = 182;

const minute = 60_000;
const samplesAGroup = 500;
const groups = 20_000;
const rowsATransaction = 50_000;

/** Fills a migrated database that has the accounts; `scale` is the share of all samples. */
export async function fillLarge(database: string, scale: number): Promise<void> {
  const config = configOf(database);
  const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
  const now = Math.floor(Date.now() / minute) * minute;
  await store.lane.run((tx) => writeGroups(tx, now));
  let id = 0;
  for (const { account, resource, provider, samples } of seriesOf(scale)) {
    id += 1;
    const values = [id, account, resource, provider];
    await store.lane.run((tx) => tx.execute(insertSeries, values));
    for (let from = 0; from < samples; from += rowsATransaction) {
      const last = Math.min(from + rowsATransaction, samples) - 1;
      const first = now - (samples - 1) * minute;
      const summer = [now - 240 * DAY_MS, now - 30 * DAY_MS];
      await store.lane.run((tx) => tx.execute(insertSamples, [from, last, id, first, first, ...summer]));
    }
  }
  await store.lane.run((tx) => writeSummaries(tx, large, 1_000, now));
  await store.lane.run((tx) => writeSummaries(tx, small, 10, now));
  // Otherwise autovacuum would do it during the measurement.
  if (config.kind === 'postgres') await store.reader.rows('ANALYZE');
  await store.close();
}

interface Written {
  readonly account: number;
  readonly resource: string;
  readonly provider: string;
  readonly samples: number;
}

function seriesOf(scale: number): Written[] {
  const many = (samples: number): number => Math.round(samples * scale);
  const others = Array.from({ length: accounts - small }, (_, index) => small + 1 + index);
  return [
    { account: large, resource: 'heartrate', provider: 'oura', samples: many(1_000_000) },
    { account: large, resource: 'steps', provider: 'oura', samples: many(525_600) },
    { account: large, resource: 'steps', provider: 'apple_health_kit', samples: many(474_400) },
    { account: small, resource: 'heartrate', provider: 'oura', samples: 2_000 },
    { account: small, resource: 'steps', provider: 'oura', samples: 2_000 },
    ...others.map((account) => ({ account, resource: 'heartrate', provider: 'oura', samples: many(100_000) })),
  ];
}

const insertSeries = `INSERT INTO series (id, account_id, resource, provider, source_type, sub_series, floating_time,
  created_at) VALUES (?, ?, ?, ?, 'ring', '', 0, 0)`;

/** Groups for summer time come after those for winter time. */
const insertSamples = `INSERT INTO samples (series_id, time, sibling, value, group_id)
  WITH RECURSIVE n (i) AS (SELECT CAST(? AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
  SELECT CAST(? AS bigint), ? + i * ${minute}, 0, i % 120, 1 + i / ${samplesAGroup} % ${groups}
    + CASE WHEN ? + i * ${minute} BETWEEN ? AND ? THEN ${groups} ELSE 0 END FROM n`;

async function writeGroups(tx: Tx, now: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * groups})`;
  await tx.execute(
    `INSERT INTO observations (id, kind, ref, page) ${numbers} SELECT CAST(? AS bigint) + i, 'sync', i, 0 FROM n`,
    [firstObservationAt(now - DAY_MS)],
  );
  for (const [index, offset] of [3_600, 7_200].entries()) {
    const content = JSON.stringify({ timezone_offset: offset, unit: 'count' });
    await tx.execute('INSERT INTO sample_attributes (id, content) VALUES (?, ?)', [index + 1, content]);
  }
  await tx.execute(
    `INSERT INTO sample_groups (id, observation_id, attributes_id) ${numbers}
     SELECT i, CAST(? AS bigint) + i, CASE WHEN i > ${groups} THEN 2 ELSE 1 END FROM n`,
    [firstObservationAt(now - DAY_MS)],
  );
}

/** Writes some days of five summaries of about 3 kB each. */
async function writeSummaries(tx: Tx, account: number, days: number, now: number): Promise<void> {
  const more = 'x'.repeat(3_000);
  for (let back = 0; back < days; back++) {
    const [time, date] = [now - back * DAY_MS - 36_000_000, dateOf(now - back * DAY_MS)];
    for (const resource of ['sleep', 'activity', 'workouts', 'body', 'meal']) {
      const raw = JSON.stringify({ id: `${resource}-${back}`, hr_resting: 50, more });
      await tx.execute(
        `INSERT INTO summaries (account_id, resource, summary_id, time, end_time, calendar_date, provider, source_type,
           floating_time, version, observation_id, raw) VALUES (?, ?, ?, ?, ?, ?, 'oura', 'ring', 0, 0, ?, ?)`,
        [
          account,
          resource,
          `${resource}-${back}`,
          time,
          time + 28_800_000,
          date,
          firstObservationAt(now - DAY_MS) + 1,
          raw,
        ],
      );
    }
  }
}
