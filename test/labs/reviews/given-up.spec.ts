import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import type { SqlInput } from '../../../src/storage/database/dialect.js';
import { WorkerRegistry } from '../../../src/storage/work/worker-registry.js';
import { adminKeys, nowhere } from '../../support/environment.js';
import { writeRow } from '../../support/tables.js';
import { TestApp } from '../../support/test-app.js';

/*
 * Every queue of the service, and where a read that was given up is seen
 * (docs/meaning.md#nothing-is-given-up-in-silence).
 */

const order = '00000000-0000-4000-8000-000000000001';
const job = '00000000-0000-4000-8000-000000000002';
const item = '00000000-0000-4000-8000-000000000003';
const workout = '00000000-0000-4000-8000-000000000004';
const gaveUp = { due_at: null, attempts: 130, error_code: 'result_not_ready' };
const fetch = { subject_id: order, account_id: 1, requested_at: 1, ...gaveUp };

interface Fetch {
  readonly table: string;
  readonly row: Readonly<Record<string, SqlInput>>;
  /** A list that names what was given up. */
  readonly list: string;
  readonly names: string;
  readonly alarm: string;
}

const fetches: readonly Fetch[] = [
  {
    table: 'due_reads',
    row: { kind: 'result', scope: 'order', ...fetch },
    list: 'orders?result=given_up',
    names: order,
    alarm: 'results_given_up',
  },
  {
    table: 'due_reads',
    row: { kind: 'order', scope: 'order', subject_id: order, requested_at: 1, ...gaveUp },
    list: 'lab-work?kind=chase',
    names: order,
    alarm: 'reads_given_up',
  },
  {
    table: 'parsing_jobs',
    row: { job_id: job, account_id: 1, content: '{}', first_seen_at: 1, observed_at: 1, ...gaveUp },
    list: 'parsing-jobs?given_up=true',
    names: job,
    alarm: 'reads_given_up',
  },
  {
    table: 'unmatched_results',
    row: {
      ...{ id: item, status: 'pending_customer_review', sub_reason_codes: '[]', allowed_actions: '[]' },
      ...{ created_at: 1, version: 0, observed_at: 1, ...gaveUp },
    },
    list: 'lab-work?kind=decide',
    names: item,
    alarm: 'results_to_review',
  },
  {
    table: 'workout_series_fetches',
    row: {
      ...{ account_id: 1, workout_id: workout, facts: '{}', message_seq: 1, received_at: 1, requests: 1 },
      ...{ status: 'failed', ...gaveUp },
    },
    list: 'sync/workout-series?status=failed',
    names: workout,
    alarm: 'reads_given_up',
  },
];

/** Queues that read nothing which upstream announced once; each has lists and alarms of its own. */
const others = [
  ...['account_imports', 'audits', 'erasures', 'messages', 'owner_lookups', 'source_polls'],
  ...['subscription_lanes', 'subscriptions', 'sync_tasks', 'walks'],
];

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.create({ upstream: { url: nowhere } });
  await app.store.lane.run(async (tx) => {
    await tx.execute(
      `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('ann', 'active', 0, 0)`,
    );
    await tx.execute(
      `INSERT INTO orders (order_id, account_id, created_at, version, observed_at, stored_at) VALUES (?, 1, 1, 0, 1, 1)`,
      [order],
    );
  });
});

afterAll(() => app.close());

const alarms = async (): Promise<string[]> => {
  await app.run(AlarmsWorker);
  const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
  return body.data.map(({ code }) => code);
};
const listed = async (list: string): Promise<string> =>
  JSON.stringify((await app.send(`GET /admin/v1/${list}`, { token: adminKeys.viewer })).body);

describe('what upstream announced and does not return', () => {
  it.each(fetches)('is listed and alarmed once it is given up: $table', async ({ table, row, list, names, alarm }) => {
    expect([await alarms(), await listed(list)]).toEqual([
      expect.not.arrayContaining([alarm]),
      expect.not.stringContaining(names),
    ]);
    await writeRow(app.store, table, row);
    expect([await alarms(), await listed(list)]).toEqual([
      expect.arrayContaining([alarm]),
      expect.stringContaining(names),
    ]);
    await app.store.lane.run((tx) => tx.execute(`DELETE FROM ${table}`));
  });

  it('is in one of these queues: a new one must say here where it is seen', () => {
    const { leased } = app.get(WorkerRegistry) as unknown as { leased: ReadonlySet<{ readonly table: string }> };
    const known = [...new Set(fetches.map(({ table }) => table)), ...others];
    expect([...leased].map(({ table }) => table).sort()).toEqual(known.sort());
  });
});
