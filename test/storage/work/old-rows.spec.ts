import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { START } from '../../support/environment.js';
import { writeRow } from '../../support/tables.js';
import { TestApp } from '../../support/test-app.js';

const day = 86_400_000;
const old = START - 91 * day;
const account = 1;

describe('rows of work that ended', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ env: { HISTORY_RETENTION_DAYS: '90' }, webhooks: false });
    const times = { created_at: 0, updated_at: 0 };
    await write('accounts', { id: account, account_id: 'person-1', status: 'active', ...times });
  });

  beforeEach(async () => {
    for (const table of ['message_bodies', 'messages', 'sync_tasks', 'token_issues', 'observations', 'summaries']) {
      await app.store.lane.run((tx) => tx.execute(`DELETE FROM ${table}`));
    }
  });

  afterAll(() => app.close());

  const write = (table: string, row: Parameters<typeof writeRow>[2]): Promise<number> =>
    writeRow(app.store, table, row);
  const none = { pages: 0, records: 0, written: 0, rejected: 0, turns: 0, attempts: 0, restarts: 0 };
  const pull = (id: number, over: object = {}): Promise<number> =>
    write('sync_tasks', {
      ...{ id, account_id: account, provider: '', resource: 'sleep', origin: 'schedule', priority: 10 },
      ...{ window_start: 0, window_end: 1, status: 'done', created_at: old, finished_at: old },
      ...none,
      ...over,
    });
  const message = (seq: number, over: object = {}): Promise<number> =>
    write('messages', {
      ...{ seq, message_id: `m-${seq}`, received_at: old, sent_at: old, status: 'done', attempts: 1, size: 1 },
      ...{ finished_at: old },
      ...over,
    });
  /** An observation that a record names. */
  const observed = async (id: number, what: object): Promise<void> => {
    await write('observations', { id, ...what });
    await write('summaries', {
      ...{
        account_id: account,
        resource: 'sleep',
        summary_id: `s-${id}`,
        time: 0,
        provider: 'oura',
        source_type: 'ring',
      },
      ...{ floating_time: 0, version: 0, observation_id: id, raw: '{}' },
    });
  };
  const keys = async (table: string, key: string): Promise<number[]> => {
    const rows = await app.store.reader.rows<{ key: number }>(`SELECT ${key} AS key FROM ${table} ORDER BY ${key}`);
    return rows.map((row) => row.key);
  };
  const retain = (): Promise<void> => app.run(CleanerWorker);

  it('are deleted: pulls that are done, but none that failed, waits, belongs to a recovery or is named by a record or a history', async () => {
    await pull(1);
    await pull(2, { status: 'failed' });
    await pull(3, { status: 'pending', finished_at: null, due_at: START + day });
    await pull(4, { recovery_id: 1 });
    await pull(5);
    await observed(1, { kind: 'sync', ref: 5, page: 0 });
    await pull(6, { finished_at: START - 90 * day });
    await pull(7);
    await observed(2, { kind: 'message', ref: 7 });
    await pull(8);
    await write('historical_pulls', {
      ...{ account_id: account, provider: 'oura', resource: 'sleep', status: 'success', task_id: 8, observed_at: old },
    });
    const counted = (): Promise<number> => app.metric('rows_deleted_total', { table: 'sync_tasks' });
    const before = await counted();
    await retain();
    expect(await keys('sync_tasks', 'id')).toEqual([2, 3, 4, 5, 6, 8]);
    expect((await counted()) - before).toBe(2);
  });

  it('are deleted: messages without a body that need nothing more', async () => {
    await message(1);
    await message(2, { status: 'ignored', reason: 'unknown_event' });
    await message(3, { status: 'dead' });
    await message(4, { status: 'retry', finished_at: null, due_at: START + day });
    await message(5);
    await write('message_bodies', { seq: 5, body: Buffer.from('{}') });
    await message(6);
    await observed(3, { kind: 'message', ref: 6 });
    await retain();
    expect(await keys('messages', 'seq')).toEqual([3, 4, 5, 6]);
  });

  it('are emptied: records that are gone, which lose only their content', async () => {
    const gone = (time: number, gone_at: number | null): Promise<number> =>
      write('missing_records', {
        ...{ account_id: account, resource: 'sleep', time, series_id: 0, summary_id: `s-${time}`, provider: 'oura' },
        ...{ end_time: time, state: gone_at === null ? 'candidate' : 'gone', seen_by: 0, looks: 0, gone_at },
        records: gone_at === null ? null : '[{}]',
      });
    await gone(1, old);
    await gone(2, old);
    await gone(3, START - day);
    await gone(4, null);
    await retain();
    const rows = await app.store.reader.rows('SELECT time, records FROM missing_records ORDER BY time');
    expect(rows).toEqual([
      { time: 1, records: null },
      { time: 2, records: null },
      { time: 3, records: '[{}]' },
      { time: 4, records: null },
    ]);
  });

  it('are deleted: issues of tokens, whichever row ends a slice', async () => {
    const issue = (id: number, issued_at: number): Promise<number> =>
      write('token_issues', { id, account_id: account, kind: 'sign_in', issued_at });
    for (let id = 1; id <= 1_003; id++) await issue(id, old + id);
    for (let id = 1; id <= 600; id++) await pull(id, { status: 'failed' });
    await pull(601);
    await issue(2_000, START - day);
    await retain();
    expect(await keys('token_issues', 'id')).toEqual([2_000]);
    expect(await keys('sync_tasks', 'id')).toHaveLength(600);
  });
});
