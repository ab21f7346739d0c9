import type { Alarm } from '../../../src/operations/alarms/alarm-list.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { TestApp } from '../../support/test-app.js';

interface Line {
  readonly event: string;
  readonly code?: string;
}

const triggers = ['alarms', 'processes'].flatMap((table) =>
  ['INSERT', 'UPDATE', 'DELETE'].map((verb) => [`refuse_${table}_${verb}`, table, verb] as const),
);

describe('a store that refuses to write', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  /** Every write about alarms and processes fails from now on, as on a full disk. */
  async function refuse(): Promise<void> {
    if (app.store.dialect === 'postgres') {
      await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$`);
    }
    const body =
      app.store.dialect === 'postgres' ? 'EXECUTE FUNCTION refuse()' : `BEGIN SELECT RAISE(ABORT, 'full'); END`;
    for (const [name, table, verb] of triggers) {
      await run(`CREATE TRIGGER ${name} BEFORE ${verb} ON ${table} FOR EACH ROW ${body}`);
    }
  }

  async function accept(): Promise<void> {
    for (const [name, table] of triggers) {
      await run(`DROP TRIGGER ${name}${app.store.dialect === 'postgres' ? ` ON ${table}` : ''}`);
    }
  }

  async function run(sql: string): Promise<void> {
    await app.store.lane.run((tx) => tx.execute(sql));
  }

  const codes = async (): Promise<string[]> => {
    app.clock.advance(15_000);
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.map(({ code }) => code);
  };
  const logged = (event: string): (string | undefined)[] =>
    app.logs.map((line) => JSON.parse(line) as Line).flatMap((line) => (line.event === event ? [line.code] : []));

  it('is reported by the route, the overview, the gauge and one log line, until it writes again', async () => {
    expect(await codes()).toEqual([]);
    await refuse();
    expect(await codes()).toEqual(['store_refused']);
    expect(await codes()).toEqual(['store_refused']);
    const { alarms } = (await app.admin<{ alarms: Alarm[] }>('GET', '/overview', undefined, 'monitor')).body;
    expect(alarms.map(({ code }) => code)).toEqual(['store_refused']);
    expect(await app.figures()).toContain('pulsekeep_alarm{code="store_refused"} 1');
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([['store_refused'], []]);
    await accept();
    expect(await codes()).toEqual([]);
    expect(await app.figures()).toContain('pulsekeep_alarm{code="store_refused"} 0');
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([['store_refused'], ['store_refused']]);
  });

  it('is not reported if only the conditions of alarms cannot be read, and the others stay', async () => {
    await app.admin('PUT', '/token-issuance', { open: false });
    expect(await codes()).toEqual(['tokens_closed']);
    await run('ALTER TABLE due_reads RENAME TO away');
    app.clock.advance(15_000);
    await expect(app.run(AlarmsWorker)).rejects.toThrow();
    const { body } = await app.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
    expect(body.data.map(({ code }) => code)).toEqual(['tokens_closed']);
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([['tokens_closed'], []]);
    await run('ALTER TABLE away RENAME TO due_reads');
    await app.admin('PUT', '/token-issuance', { open: true });
    expect(await codes()).toEqual([]);
  });

  it('does not hide other alarms, which are logged once and stored afterwards', async () => {
    await app.admin('PUT', '/token-issuance', { open: false });
    expect(await codes()).toEqual(['tokens_closed']);
    await refuse();
    app.get(ThisProcess).note('upstream_away', app.clock.now());
    expect(await codes()).toEqual(['store_refused', 'upstream_away', 'tokens_closed']);
    await accept();
    expect(await codes()).toEqual(['upstream_away', 'tokens_closed']);
    const stored = await app.store.reader.rows('SELECT code FROM alarms ORDER BY code');
    expect(stored).toEqual([{ code: 'tokens_closed' }, { code: 'upstream_away' }]);
    expect(logged('alarm.raised')).toEqual(['tokens_closed', 'store_refused', 'upstream_away']);
    expect(logged('alarm.cleared')).toEqual(['store_refused']);
  });
});
