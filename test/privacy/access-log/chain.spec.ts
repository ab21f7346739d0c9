import { AccessEntryEntity } from '../../../src/privacy/access-log/access-log.entity.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { ChainRetentionWorker, KEPT_MS } from '../../../src/privacy/access-log/chain-retention.worker.js';
import { AccessLogVerification } from '../../../src/privacy/access-log/verification.service.js';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

const onPostgres = process.env['TEST_DATABASE_URL'] ? it : it.skip;
/** An error of the native driver, which is no Error to every suite of a process. */
const refused = { message: expect.stringContaining('the access log is append-only') as string };

describe('the access log as a table', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
  });

  afterEach(() => app.close());

  /** Records so many, one after another. */
  async function fill(count: number): Promise<void> {
    for (const n of upTo(count)) await app.get(AccessLog).record(access({ request_id: `request-${n}` }));
    await app.chainAccesses();
  }

  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));

  /** What somebody does first who owns the database and wants to change the log. */
  async function unguard(): Promise<void> {
    const on = (table: string): string => (app.store.dialect === 'postgres' ? ` ON ${table}` : '');
    await execute(`DROP TRIGGER access_log_unchanged${on('access_log')}`);
    await execute(`DROP TRIGGER access_log_kept${on('access_log')}`);
    await execute(`DROP TRIGGER access_log_chain_kept${on('access_log_chain')}`);
  }

  const heads = (): string[] => app.logs.filter((line) => line.includes('"event":"access_log.head"'));
  const verify = async (noted?: { seq: number; hash: string }) =>
    (await app.get(AccessLogVerification).verify(noted ? [noted] : [])).broken;
  const numbers = async (): Promise<number[]> => (await app.table(AccessEntryEntity).all()).map(({ seq }) => seq);
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

  it('is intact while it is empty, and after a few entries', async () => {
    expect(await verify()).toBeNull();
    await fill(3);
    const { entries, ends, broken } = await app.get(AccessLogVerification).verify();
    expect([entries, ends?.first_seq, ends?.last_seq, broken]).toEqual([3, 1, 3, null]);
  });

  it('accepts 200 simultaneous entries without a gap', async () => {
    await Promise.all(upTo(200).map((n) => app.get(AccessLog).record(access({ request_id: `request-${n}` }))));
    await app.chainAccesses();
    expect(await numbers()).toEqual(upTo(200));
    expect(await verify()).toBeNull();
    const rows = await app.store.reader.rows('SELECT DISTINCT request_id FROM access_log');
    expect(rows).toHaveLength(200);
  });

  it('is verified in slices beyond the first', async () => {
    await Promise.all(upTo(2_500).map(() => app.get(AccessLog).record(access())));
    await app.chainAccesses();
    expect(await app.get(AccessLogVerification).verify()).toMatchObject({ entries: 2_500, broken: null });
    await unguard();
    await execute(`UPDATE access_log SET actor = 'other' WHERE seq = 2001`);
    expect(await verify()).toEqual({ seq: 2_001, reason: 'entry_changed' });
  });

  onPostgres('is written by several processes in parallel without a gap', async () => {
    const { database, clock } = app;
    const given = { database, clock, upstream: { url: nowhere } };
    const others = await Promise.all([TestApp.create(given), TestApp.create(given)]);
    await Promise.all(
      [app, ...others].flatMap((one, index) =>
        upTo(100).map((n) => one.get(AccessLog).record(access({ request_id: `${index}-${n}` }))),
      ),
    );
    await app.chainAccesses();
    expect(await numbers()).toEqual(upTo(300));
    expect(await verify()).toBeNull();
    const rows = await app.store.reader.rows('SELECT DISTINCT request_id FROM access_log');
    expect(rows).toHaveLength(300);
    await Promise.all(others.map((other) => other.close()));
  });

  it.each([
    `UPDATE access_log SET actor = 'other' WHERE seq = 2`,
    'UPDATE access_log SET status = 404',
    'DELETE FROM access_log WHERE seq = 1',
    'DELETE FROM access_log WHERE seq = 3',
    'DELETE FROM access_log',
    'DELETE FROM access_log_chain',
  ])('is append-only in the database itself: %s', async (sql) => {
    await fill(3);
    await expect(execute(sql)).rejects.toMatchObject(refused);
    expect(await numbers()).toEqual([1, 2, 3]);
    expect(await verify()).toBeNull();
  });

  onPostgres('cannot be truncated', async () => {
    await fill(3);
    await expect(execute('TRUNCATE access_log')).rejects.toMatchObject(refused);
    await expect(execute('TRUNCATE access_log_chain')).rejects.toMatchObject(refused);
  });

  it.each([
    ['at', '1'],
    ['actor', "'other'"],
    ['role', "'operator'"],
    ['role', 'NULL'],
    ['action', "'GET /'"],
    ['account_ref', '9'],
    ['target', 'NULL'],
    ['address', "'10.0.0.8'"],
    ['request_id', "'request-9'"],
    ['status', '403'],
    ['previous_hash', `'${'0'.repeat(64)}'`],
    ['hash', `'${'0'.repeat(64)}'`],
  ])('shows where an entry was changed in %s to %s', async (column, value) => {
    await fill(5);
    await unguard();
    await execute(`UPDATE access_log SET ${column} = ${value} WHERE seq = 3`);
    expect(await verify()).toEqual({ seq: 3, reason: 'entry_changed' });
    expect(app.logs.join('')).toContain('"event":"access_log.broken"');
  });

  it.each([
    ['the first', 'DELETE FROM access_log WHERE seq = 1', { seq: 1, reason: 'entry_missing' }],
    ['one in the middle', 'DELETE FROM access_log WHERE seq = 3', { seq: 3, reason: 'entry_missing' }],
    ['the newest', 'DELETE FROM access_log WHERE seq > 3', { seq: 4, reason: 'entry_missing' }],
    ['all', 'DELETE FROM access_log', { seq: 1, reason: 'entry_missing' }],
    ['the ends', 'DELETE FROM access_log_chain', { seq: null, reason: 'chain_missing' }],
    ['what no longer counts as kept', 'UPDATE access_log_chain SET first_seq = 3', { seq: 3, reason: 'link_broken' }],
  ])('shows that %s was removed', async (_, sql, found) => {
    await fill(5);
    await unguard();
    await execute(sql);
    expect(await verify()).toEqual(found);
  });

  it('shows an entry that was added after its end, and chains no further ones', async () => {
    await fill(2);
    await execute(
      `INSERT INTO access_log (seq, at, actor, action, request_id, status, previous_hash, hash)
       VALUES (3, 1, 'x', 'x', 'x', 200, 'x', 'x')`,
    );
    expect(await verify()).toEqual({ seq: 3, reason: 'entry_unknown' });
    await app.get(AccessLog).record(access());
    await expect(app.chainAccesses()).rejects.toMatchObject({ code: 'storage_unavailable' });
    const verification = await app.get(AccessLogVerification).verify();
    expect(verification).toMatchObject({ broken: { seq: 3, reason: 'entry_unknown' }, unchained: 1 });
  });

  it('that was cut together with its end is detected by a noted entry', async () => {
    await fill(5);
    await app.run(ChainRetentionWorker);
    const line = JSON.parse(app.logs.at(-1) ?? '{}') as { event: string; seq: number; hash: string };
    expect(line).toMatchObject({ event: 'access_log.head', seq: 5 });
    await unguard();
    await execute('DELETE FROM access_log WHERE seq > 3');
    await execute('UPDATE access_log_chain SET last_seq = 3, last_hash = (SELECT hash FROM access_log WHERE seq = 3)');
    expect(await verify()).toBeNull();
    expect(await verify({ seq: line.seq, hash: line.hash })).toEqual({ seq: 5, reason: 'noted_missing' });
    await fill(5);
    expect(await verify()).toBeNull();
    expect(await verify({ seq: line.seq, hash: line.hash })).toEqual({ seq: 5, reason: 'not_as_noted' });
  });

  it('logs its end only after it has moved', async () => {
    await app.run(ChainRetentionWorker);
    expect(heads()).toHaveLength(0);
    await fill(2);
    await app.run(ChainRetentionWorker);
    await app.run(ChainRetentionWorker);
    expect(heads()).toHaveLength(1);
  });

  describe('that has grown old', () => {
    const drop = async (): Promise<number> => {
      let rounds = 0;
      while (await app.get(ChainRetentionWorker).removeOldest()) rounds += 1;
      return rounds;
    };

    it('loses entries older than six years, leaves an anchor and records it', async () => {
      await fill(3);
      const { ends } = await app.get(AccessLogVerification).verify();
      app.clock.advance(KEPT_MS - 1_000);
      await fill(2);
      expect(await drop()).toBe(0);
      app.clock.advance(1_001);
      expect(await drop()).toBe(1);
      const verification = await app.get(AccessLogVerification).verify();
      expect(verification).toMatchObject({ entries: 3, ends: { first_seq: 4, last_seq: 6 }, broken: null });
      expect(verification.ends?.anchor_hash).toBe(ends?.last_hash);
      const last = await app.store.reader.row('SELECT actor, role, target, status FROM access_log WHERE seq = 6');
      expect(last).toEqual({
        actor: 'system',
        role: null,
        target: `from:1 to:3 count:3 hash:${ends?.last_hash}`,
        status: 200,
      });
    });

    it('still shows missing or changed entries after the anchor', async () => {
      await fill(3);
      app.clock.advance(KEPT_MS + 1);
      await fill(3);
      await drop();
      await unguard();
      await execute('DELETE FROM access_log WHERE seq = 4');
      expect(await verify()).toEqual({ seq: 4, reason: 'entry_missing' });
    });

    it('can be compared with a noted entry as old as its anchor, but not with older ones', async () => {
      await fill(3);
      const { hash } = (await app.store.reader.row<{ hash: string }>('SELECT hash FROM access_log WHERE seq = 3')) ?? {
        hash: '',
      };
      app.clock.advance(KEPT_MS + 1);
      await fill(1);
      await drop();
      expect(await verify({ seq: 3, hash })).toBeNull();
      expect(await verify({ seq: 3, hash: '0'.repeat(64) })).toEqual({ seq: 3, reason: 'not_as_noted' });
      expect(await verify({ seq: 2, hash })).toEqual({ seq: 2, reason: 'noted_missing' });
    });

    it('is removed slice by slice, and continues after a crash', async () => {
      await Promise.all(upTo(2_300).map(() => app.get(AccessLog).record(access())));
      await app.chainAccesses();
      app.clock.advance(KEPT_MS + 1);
      expect(await app.get(ChainRetentionWorker).removeOldest()).toBe(true);
      expect(await app.get(AccessLogVerification).verify()).toMatchObject({ ends: { first_seq: 1_001 }, broken: null });
      expect(await drop()).toBe(2);
      expect(await app.get(AccessLogVerification).verify()).toMatchObject({
        entries: 3,
        ends: { first_seq: 2_301 },
        broken: null,
      });
    });

    it('is verified as intact while it is being removed', async () => {
      await Promise.all(upTo(3_500).map(() => app.get(AccessLog).record(access())));
      await app.chainAccesses();
      app.clock.advance(KEPT_MS + 1);
      const [{ broken }] = await Promise.all([app.get(AccessLogVerification).verify(), drop()]);
      expect(broken).toBeNull();
    });
  });
});
