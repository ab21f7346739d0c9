import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Alarm } from '../../src/operations/alarms/alarm-list.js';
import { AlarmsWorker } from '../../src/operations/alarms/alarms.worker.js';
import { BackupScheduleWorker } from '../../src/storage/backup/backup-schedule.worker.js';
import { verifyBackup } from '../../src/storage/backup/restore-backup.js';
import { DAY, HOUR, MINUTE } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

const onSqlite = process.env['TEST_DATABASE_URL'] ? it.skip : it;
const stamp = { region: 'us', environment: 'sandbox' };

interface Line {
  readonly event: string;
}

describe('backups on schedule', () => {
  let folder: string;
  let app: TestApp;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-backups-'));
    const env = {
      BACKUP_FOLDER: join(folder, 'all'),
      ERASURE_JOURNAL_PATH: join(folder, 'journal'),
      BACKUP_INTERVAL_HOURS: '6',
    };
    app = await TestApp.create({ env, webhooks: false });
    await app.as('anna', 'POST', '/me/sign-in-token', {});
  });

  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const made = (): string[] => readdirSync(join(folder, 'all')).filter((name) => name.endsWith('.sqlite'));
  const round = (): Promise<void> => app.run(BackupScheduleWorker);
  const alarms = async (): Promise<string[]> => {
    await app.chainAccesses();
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.map(({ code }) => code);
  };
  const logged = (event: string): number =>
    app.logs.filter((line) => (JSON.parse(line) as Line).event === event).length;

  onSqlite('are made when due, complete and checked, and the newest are kept', async () => {
    await round();
    const [first = ''] = made();
    const { manifest } = await verifyBackup({ path: join(folder, 'all', first) }, stamp);
    expect(manifest.counts).toMatchObject({ accounts: 1 });
    app.clock.advance(6 * HOUR - 1);
    await round();
    expect(made()).toEqual([first]);
    app.clock.advance(1);
    await round();
    for (let more = 0; more < 6; more++) {
      app.clock.advance(6 * HOUR);
      await round();
    }
    expect(made()).toHaveLength(7);
    expect(made()).not.toContain(first);
    expect(readdirSync(join(folder, 'all'))).toHaveLength(14);
    expect(logged('database.backup_made')).toBe(8);
    app.clock.advance(90 * MINUTE);
    expect(await app.figures()).toContain('pulsekeep_recovery_point_seconds 5400');
  });

  onSqlite('go on as before after those of a clock that was ahead', async () => {
    app.clock.step(30 * DAY);
    for (let more = 0; more < 7; more++) {
      await round();
      app.clock.advance(6 * HOUR);
    }
    const ahead = made();
    expect(ahead).toHaveLength(7);
    app.clock.step(-40 * DAY);
    for (let more = 0; more < 3; more++) {
      await round();
      app.clock.advance(MINUTE);
    }
    const own = made().filter((name) => !ahead.includes(name));
    expect([made(), own]).toEqual([[...own, ...ahead.slice(1)], [expect.any(String)]]);
    expect(await app.figures()).toContain('pulsekeep_recovery_point_seconds 180');
    expect(logged('database.backup_made')).toBe(8);
  });

  onSqlite('leave nothing incomplete behind, and delete no other file', async () => {
    await round();
    const dead = join(folder, 'all', 'pulsekeep-20200101T000000000Z.sqlite.part');
    const theirs = join(folder, 'all', 'mine.sqlite.part');
    for (const path of [dead, theirs]) writeFileSync(path, 'half');
    await round();
    expect([existsSync(dead), existsSync(theirs)]).toEqual([false, true]);
  });

  onSqlite('that fail are logged, retried after a while, and raise an alarm at twice their interval', async () => {
    writeFileSync(join(folder, 'all'), 'a file where the folder should be');
    await round();
    await round();
    app.clock.advance(12 * HOUR);
    await round();
    expect(await alarms()).toEqual([]);
    app.clock.advance(1);
    await round();
    expect(await alarms()).toEqual(['backup_late']);
    expect(logged('database.backup_failed')).toBe(2);
    rmSync(join(folder, 'all'));
    app.clock.advance(15 * MINUTE);
    await round();
    expect(await alarms()).toEqual([]);
  });

  it('of PostgreSQL are made by the command, but their age is watched as well', async () => {
    if (app.store.dialect === 'sqlite') return;
    app.clock.advance(12 * HOUR + 1);
    await round();
    expect(made()).toEqual([]);
    expect(await alarms()).toEqual(['backup_late']);
  });
});
