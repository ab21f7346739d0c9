import type { AccountsService } from '../../src/accounts/accounts/accounts.service.js';
import { entities } from '../../src/app/rooms.js';
import { type Resource, resourceByName } from '../../src/health/catalogue/catalogue.js';
import { OffsetsReader } from '../../src/health/clock/offsets.reader.js';
import { PersonClocks } from '../../src/health/clock/person-clocks.service.js';
import { SampleHours } from '../../src/health/clock/sample-hours.reader.js';
import { SourcePriorities } from '../../src/health/priorities/source-priorities.service.js';
import { AmountsReader } from '../../src/health/statistics/amounts.reader.js';
import { StatisticsReader } from '../../src/health/statistics/statistics.reader.js';
import { SampleStatistics } from '../../src/health/statistics/statistics.service.js';
import { SystemClock } from '../../src/platform/platform/clock.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { openStore, openWriter } from '../../src/storage/database/store.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { preparedDatabase } from '../process/pulsekeep.js';
import { configOf } from '../process/seed.js';
import { staged } from '../process/stage.js';
import { interleaved } from '../rounds.js';

const minute = 60_000;
const year = { from: '2025-11-01', to: '2026-10-31' };
const first = Date.UTC(2025, 10, 1) - 3_600_000;
const samples = 365 * 1_440;
const series = [
  ['steps', 'oura'],
  ['heartrate', 'oura'],
  ...['oura', 'garmin', 'fitbit'].map((provider) => ['calories_active', provider] as const),
] as const;

/** A year of local days from one sample per minute, compared with one sum over the same rows. */
export function daily({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const database = keep(await preparedDatabase(1));
    const config = configOf(database.path);
    const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
    keep({ end: () => store.close() });
    const count = Math.round(samples * scale);
    await store.lane.run(async (tx) => {
      await tx.execute(`INSERT INTO observations (id, kind, ref, page) VALUES (1, 'sync', 1, 0)`);
      await tx.execute(`INSERT INTO sample_attributes (id, content) VALUES (1, '{"timezone_offset":3600,"unit":"x"}')`);
      await tx.execute('INSERT INTO sample_groups (id, observation_id, attributes_id) VALUES (1, 1, 1)');
      for (const [id, [name, provider]] of series.entries()) {
        await tx.execute(
          `INSERT INTO series (id, account_id, resource, provider, source_type, sub_series, floating_time, created_at)
           VALUES (?, 1, ?, ?, 'ring', '', 0, 0)`,
          [id + 1, name, provider],
        );
        await tx.execute(
          `INSERT INTO samples (series_id, time, sibling, value, duration_ms, group_id)
           WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           SELECT ?, ? + i * ${minute}, 0, i % 120, ${minute}, 1 FROM n`,
          [count - 1, id + 1, first],
        );
      }
    });
    const priorities = Object.assign(Object.create(SourcePriorities.prototype) as SourcePriorities, {
      rank: (_account: number, _resource: object, sources: unknown[]) => Promise.resolve(sources),
    });
    const { reader } = store;
    const accounts = { formerZones: () => Promise.resolve([]) } as unknown as AccountsService;
    const hours = new SampleHours(reader);
    const clocks = new PersonClocks(new OffsetsReader(reader, hours), accounts, new SystemClock());
    const statistics = new SampleStatistics(
      clocks,
      new StatisticsReader(reader, hours),
      new AmountsReader(reader),
      priorities,
    );
    // Processor time of all threads says more than the clock where other programs take turns.
    const timed = async (run: () => Promise<unknown>): Promise<{ ms: number; cpu: number }> => {
      const [begun, usedBefore] = [performance.now(), process.cpuUsage()];
      await run();
      const used = process.cpuUsage(usedBefore);
      return { ms: performance.now() - begun, cpu: (used.user + used.system) / 1_000 };
    };
    const sum = 'SELECT COUNT(*) AS n, SUM(value) AS s FROM samples WHERE series_id = 1';
    const days = (name: string) => () =>
      timed(() => {
        const account = { id: 1, fallback_time_zone: 'Europe/Berlin' };
        return statistics.of(account, resourceByName(name) as Resource, year, { per: 'day', mode: 'merged' });
      });
    const raw = 'one sum';
    const sides = [
      { name: raw, run: () => timed(() => store.reader.rows(sum)) },
      { name: 'steps', run: days('steps') },
      { name: 'heartrate', run: days('heartrate') },
      { name: 'three sources', run: days('calories_active') },
    ];
    const of = await interleaved(rounds, sides, step);
    return ['steps', 'heartrate', 'three sources'].flatMap((name) =>
      (['ms', 'cpu'] as const).map((kind) => {
        const baseline = { name: raw, values: of(raw, kind) };
        const title = `a year of days, ${name}${kind === 'cpu' ? ', processor time' : ''}`;
        return figureOf({ name: title, unit: 'ms', values: of(name, kind), baseline, note: `${count} samples` });
      }),
    );
  });
}
