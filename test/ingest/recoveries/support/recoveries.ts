import { PullWorker } from '../../../../src/ingest/pulls/pull.worker.js';
import type { PullTaskEntity } from '../../../../src/ingest/pulls/pull-task.entity.js';
import { RecoveryWorker } from '../../../../src/ingest/recoveries/recovery.worker.js';
import { adminKeys, START } from '../../../support/environment.js';
import type { TestApp } from '../../../support/test-app.js';

export interface Recovery {
  [field: string]: unknown;
  recovery_id: number;
  state: string;
  share_done: number;
}

export const hour = 3_600_000;
export const iso = (hours: number): string => new Date(START + hours * hour).toISOString();
export const resources = ['mindfulness_minutes', 'blood_pressure', 'sleep'];
export const outage = { from: iso(-30), to: iso(-6), resources };
export const operator = { token: adminKeys.operator };
export const viewer = { token: adminKeys.viewer };

/** Actions for tests of recoveries, on the current service. */
export function recoveriesOf(service: () => TestApp) {
  async function recover(body: object = outage, app = service()): Promise<Recovery> {
    const answer = await app.send('POST /admin/v1/sync/recover', { ...operator, body });
    expect(answer.status).toBe(202);
    return answer.body as unknown as Recovery;
  }

  async function look(id: number): Promise<Recovery> {
    return (await service().send(`GET /admin/v1/sync/recoveries/${id}`, viewer)).body as unknown as Recovery;
  }

  const plan = (app = service()): Promise<void> => app.get(RecoveryWorker).loop.runUntilIdle();
  const pull = (app = service()): Promise<void> => app.get(PullWorker).loop.runUntilIdle();
  const tasks = (): Promise<PullTaskEntity[]> => service().store.reader.rows('SELECT * FROM sync_tasks ORDER BY id');
  const execute = (sql: string, values: (string | number)[] = []): Promise<number> =>
    service().store.lane.run((tx) => tx.execute(sql, values));

  /** Creates accounts with one source each; `userIds` adds others. */
  async function accounts(count: number, userIds?: readonly string[]): Promise<void> {
    await service().store.lane.run(async (tx) => {
      for (let index = 0; index < count; index++) {
        const user = userIds?.[index] ?? `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
        const [row] = await tx.rows<{ id: number }>(
          `INSERT INTO accounts (account_id, upstream_user_id, status, created_at, updated_at)
           VALUES (?, ?, 'active', 0, 0) RETURNING id`,
          [`customer-${index}`, user],
        );
        for (const resource of resources) {
          await tx.execute(
            `INSERT INTO pull_streams (account_id, provider, resource, status, created_at)
             VALUES (?, 'oura', ?, 'active', 0)`,
            [row?.id ?? 0, resource],
          );
        }
      }
    });
  }

  async function upstreamUsers(count: number): Promise<string[]> {
    const { users } = await service().sandbox.control.createUsers({ count, prefix: 'person' });
    return users.map((user) => user.user_id);
  }

  return { recover, look, plan, pull, tasks, execute, accounts, upstreamUsers };
}
