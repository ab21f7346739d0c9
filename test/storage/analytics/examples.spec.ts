// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { postgresViews } from '../../../src/app/rooms.js';
import { OrdersWorld } from '../../labs/orders/support/orders-world.js';
import { DAY, HOUR } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Analyst } from './support/analyst.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;
const question = (name: string): string => readFileSync(`examples/analytics/${name}.sql`, 'utf8');

onPostgres('questions in SQL', () => {
  it('tell who wore a device on 16 of 30 days, and how late a provider sends', async () => {
    const app = await TestApp.create({ env: { SYNC_RESOURCES: 'heartrate' } });
    const analyst = new Analyst(app.database);
    const refs: Record<string, number> = {};
    // The questions ask the clock of PostgreSQL.
    const today = Math.floor(Date.now() / DAY) * DAY;
    for (const [account, days] of Object.entries({ often: 16, rarely: 15 })) {
      await app.as(account, 'POST', '/me/sign-in-token', {});
      const [row] = await app.store.reader.rows<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [
        account,
      ]);
      const ref = Number(row?.id);
      refs[account] = ref;
      await app.store.lane.run(async (tx) => {
        const run = (sql: string, values: (string | number)[]): Promise<number> => tx.execute(sql, values);
        const series = `INSERT INTO series (id, account_id, resource, provider, source_type, sub_series, floating_time, created_at)
          VALUES (?, ?, 'heartrate', ?, 'watch', '', 0, 0)`;
        await run(series, [ref, ref, account]);
        await run(`INSERT INTO sample_attributes (id, content, account_id) VALUES (?, '{"unit":"bpm"}', ?)`, [
          ref,
          ref,
        ]);
        for (let day = 1; day <= days; day++) {
          const time = today - day * DAY + HOUR;
          const id = (time + 2 * HOUR) * 64 + ref;
          await run(`INSERT INTO observations (id, kind, ref) VALUES (?, 'message', 1)`, [id]);
          await run('INSERT INTO sample_groups (id, observation_id, attributes_id) VALUES (?, ?, ?)', [
            ref * 100 + day,
            id,
            ref,
          ]);
          const sample = 'INSERT INTO samples (series_id, time, sibling, value, group_id) VALUES (?, ?, 0, 60, ?)';
          await run(sample, [ref, time, ref * 100 + day]);
        }
      });
    }
    await analyst.rows('samples');
    expect(await analyst.query(question('days-worn'))).toEqual([{ account_ref: refs['often'], days: 16 }]);
    const late = await analyst.query<{ provider: string; median: { hours: number } }>(question('lateness'));
    expect(late.map(({ provider, median }) => [provider, median.hours]).toSorted()).toEqual([
      ['often', 2],
      ['rarely', 2],
    ]);
    await analyst.close();
    await app.close();
  });

  it('tell how long a lab takes', async () => {
    const world = await OrdersWorld.open();
    const analyst = new Analyst(world.service.database);
    const order = await world.place(await world.user());
    await world.advance(3 * 3_600);
    await world.walkList();
    await world.result(order);
    await analyst.rows('orders');
    const rows = await analyst.query<{ lab_name: string; orders: number; median: { hours?: number } }>(
      question('turnaround'),
    );
    expect(rows).toMatchObject([{ orders: 1, median: { hours: 3 } }]);
    await analyst.close();
    await world.close();
  });
});

describe('the sources of dbt', () => {
  it('are the views with all their columns', () => {
    const { sources } = parse(readFileSync('examples/analytics/sources.yml', 'utf8')) as {
      sources: { tables: { name: string; columns: { name: string }[] }[] }[];
    };
    const declared = sources.flatMap(({ tables }) => tables.map(({ name, columns }) => [name, columns.length]));
    expect(declared.toSorted()).toEqual(postgresViews.map(({ name, columns }) => [name, columns.length]).toSorted());
  });
});
