import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { DiskWatchWorker } from '../../../src/operations/alarms/disk-watch.worker.js';
import { TestApp } from '../../support/test-app.js';

describe('the disks of the database, the journal and the backups', () => {
  let folder: string;
  let app: TestApp;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'disk-'));
  });

  afterEach(() => app.close());

  afterAll(() => rmSync(folder, { recursive: true }));

  async function start(lowBytes: string): Promise<string[]> {
    const env = { DISK_LOW_BYTES: lowBytes, BACKUP_FOLDER: join(folder, 'not', 'there', 'yet') };
    app = await TestApp.create({ env });
    await app.run(DiskWatchWorker);
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.map(({ code }) => code);
  }

  const shown = async (): Promise<[string | undefined, number][]> => {
    const lines = (await app.figures()).matchAll(/^pulsekeep_disk_free_bytes\{content="(\w+)"\} (\S+)$/gm);
    return [...lines].map(([, content, bytes]) => [content, Number(bytes)]);
  };

  it('show the free space, without that of the database on PostgreSQL, which is unknown', async () => {
    expect(await start('0')).toEqual([]);
    const found = await shown();
    const contents = app.store.dialect === 'sqlite' ? ['database', 'journal', 'backups'] : ['journal', 'backups'];
    expect(found.map(([content]) => content)).toEqual(contents);
    const { blocks, bsize } = statfsSync(folder);
    expect(found.filter(([, bytes]) => !(bytes > 0 && bytes <= blocks * bsize))).toEqual([]);
    expect(app.logs.filter((line) => line.includes('disk.low'))).toEqual([]);
  });

  it('raise an alarm while one has less than DISK_LOW_BYTES, and each is logged once', async () => {
    expect(await start('100000000000000')).toEqual(['disk_low']);
    await app.run(DiskWatchWorker);
    const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    const low = lines.filter(({ event }) => event === 'disk.low');
    expect(low).toHaveLength((await shown()).length);
    expect(low[0]).toMatchObject({ level: 'warn', reason: 'below_limit', bytes: expect.any(Number) });
    expect(await app.figures()).toContain('pulsekeep_alarm{code="disk_low"} 1');
  });
});
