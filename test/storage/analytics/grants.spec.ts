// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { entities, postgresViews as views } from '../../../src/app/rooms.js';
import { keepViews, makeViews } from '../../../src/storage/analytics/postgres-views.js';
import { openWriter } from '../../../src/storage/database/store.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { TestApp } from '../../support/test-app.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { Analyst } from './support/analyst.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;
const hasTools = spawnSync('pg_dump', ['--version']).status === 0;

onPostgres('a role of analysts', () => {
  let app: TestApp;
  let analyst: Analyst;

  beforeEach(async () => {
    app = await TestApp.create();
    analyst = new Analyst(app.database);
    await app.as('person', 'POST', '/me/sign-in-token', {});
    await analyst.createRole();
  });

  afterEach(async () => {
    await analyst.close();
    await app.close();
  });

  const refused = async (sql: string): Promise<string> => {
    const outcome = await analyst.query(sql).then(
      () => 'allowed',
      ({ code }: { code: string }) => code,
    );
    return outcome;
  };

  it('reads the views, and neither a table nor the ids of the customer', async () => {
    const granted = await analyst.cli('grant', analyst.role);
    expect(granted.code).toBe(0);
    expect(granted.json()).toMatchObject({ state: 'granted', views: views.length - 1, statement_seconds: 60 });
    expect(await analyst.query('SELECT * FROM analytics_v1.connections')).toEqual([]);
    // What a role may set for itself takes nothing from what it has no right to.
    await analyst.query('SET default_transaction_read_only = off');
    const forbidden = [
      ...['SELECT * FROM analytics_v1_identity.accounts', 'SELECT * FROM accounts', 'SELECT * FROM public.samples'],
      ...['DELETE FROM public.connections', 'CREATE TABLE analytics_v1.mine (id int)'],
    ];
    for (const sql of forbidden) expect([sql, await refused(sql)]).toEqual([sql, '42501']);
    await analyst.cli('grant', analyst.role, '--account-ids');
    expect(await analyst.query('SELECT account_id FROM analytics_v1_identity.accounts')).toEqual([
      { account_id: 'person' },
    ]);
  });

  it('begins every session with limits: of its statements, of an open transaction, and read only', async () => {
    await analyst.cli('grant', analyst.role, '--statement-seconds', '7');
    const settings = ['statement_timeout', 'idle_in_transaction_session_timeout', 'default_transaction_read_only'];
    const shown: unknown[] = [];
    for (const name of settings) {
      const [row] = await analyst.query<Record<string, string>>(`SHOW ${name}`);
      shown.push(row?.[name]);
    }
    expect(shown).toEqual(['7s', '1min', 'on']);
  });

  it('loses the views by `revoke`, and has none after it', async () => {
    await analyst.cli('grant', analyst.role, '--account-ids');
    expect(await refused('SELECT 1 FROM analytics_v1.samples')).toBe('allowed');
    expect((await analyst.cli('revoke', analyst.role)).code).toBe(0);
    for (const name of ['analytics_v1.samples', 'analytics_v1_identity.accounts']) {
      expect(await refused(`SELECT 1 FROM ${name}`)).toBe('42501');
    }
  });

  it('is refused if it could read the tables anyway, or if there is no such role', async () => {
    const refusal = async (role: string): Promise<string> => (await analyst.cli('grant', role)).err;
    expect(await refusal('nobody_of_this_name')).toContain('There is no such role');
    expect(await refusal('postgres')).toContain('superuser');
    await analyst.asOwner(`GRANT SELECT ON samples TO ${analyst.role}`);
    expect(await refusal(analyst.role)).toContain('may read the tables themselves: samples.');
    expect(await refused('SELECT 1 FROM analytics_v1.samples')).toBe('42501');
    await analyst.asOwner(`REVOKE ALL ON samples FROM ${analyst.role}`);
    await analyst.asOwner(`GRANT UPDATE (value) ON samples TO ${analyst.role}`);
    expect(await refusal(analyst.role)).toContain('samples');
  });

  it('keeps its rights when a start makes changed or missing views again', async () => {
    await analyst.cli('grant', analyst.role);
    const writer = await openWriter(app.database.config, entities);
    try {
      expect(await keepViews(writer, views)).toBe(false);
      const [first, ...others] = views;
      const changed = first === undefined ? [] : [{ ...first, columns: first.columns.slice(1) }, ...others];
      expect(await keepViews(writer, changed)).toBe(true);
      expect(await refused(`SELECT account_ref FROM analytics_v1.${first?.name}`)).toBe('42703');
      expect(await keepViews(writer, views)).toBe(true);
      await analyst.asOwner('DROP VIEW analytics_v1.samples');
      expect(await keepViews(writer, views)).toBe(true);
      expect(await refused('SELECT account_ref FROM analytics_v1.samples')).toBe('allowed');
    } finally {
      await writer.destroy();
    }
  });

  it('gets no views in a schema of another program, nor are views dropped that others stand on', async () => {
    const writer = await openWriter(app.database.config, entities);
    try {
      await analyst.asOwner('CREATE SCHEMA analytics_v1');
      await expect(makeViews(writer, views)).rejects.toThrow('belongs to another program');
      expect(await keepViews(writer, views)).toBe(false);
      await analyst.asOwner('DROP SCHEMA analytics_v1');
      await makeViews(writer, views);
      await analyst.asOwner('CREATE VIEW analytics_v1.of_dbt AS SELECT * FROM analytics_v1.samples');
      const changed = views.map((view) => ({ ...view, columns: view.columns.slice(1) }));
      await expect(keepViews(writer, changed)).rejects.toThrow('Other views stand on those');
      expect(await analyst.asOwner('SELECT account_ref FROM analytics_v1.samples')).toEqual([]);
    } finally {
      await writer.destroy();
    }
  });

  (hasTools ? it : it.skip)('reads the views again after a restore and the start that follows', async () => {
    await analyst.cli('grant', analyst.role);
    await app.pulsekeep.stop();
    const backup = join(analyst.folder, 'backup.dump');
    expect((await runCli(['backup', '--out', backup], analyst.environment())).err).toBe('');
    const restored = await runCli(['restore', backup, '--without-erasures'], analyst.environment());
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(await refused('SELECT 1 FROM analytics_v1.connections')).toBe('42P01');
    const again = await TestApp.create({ database: app.database, upstream: app.sandbox });
    expect(await refused('SELECT 1 FROM analytics_v1.connections')).toBe('allowed');
    await again.close();
  });
});

describe('a database of the other kind', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());

  it('is refused with the command that fits', async () => {
    const analyst = new Analyst(database);
    const isPostgres = database.config.kind === 'postgres';
    const app = await TestApp.create({ database });
    const args = isPostgres ? ['copy', '--out', analyst.file] : ['grant', 'analyst'];
    const { code, err } = await analyst.cli(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(isPostgres ? 'analytics grant' : 'analytics copy')]);
    const daily = await analyst.cli('daily');
    expect(daily).toMatchObject(isPostgres ? { code: 0 } : { code: 2, err: expect.stringContaining('analytics copy') });
    await analyst.close();
    await app.close();
  });
});
