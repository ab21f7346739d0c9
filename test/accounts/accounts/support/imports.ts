import type { AccountImportEntity } from '../../../../src/accounts/import/account-import.entity.js';
import { AccountImportWorker } from '../../../../src/accounts/import/account-import.worker.js';
import { AccountImportsRepository } from '../../../../src/accounts/import/account-imports.repository.js';
import { ImportTuning } from '../../../../src/accounts/import/import-scan.js';
import { ImportSteps } from '../../../../src/accounts/import/import-steps.js';
import { adminKeys } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';

export interface ImportBody {
  [field: string]: unknown;
  import_id: number;
  state: string;
}

export interface Difference {
  kind: string;
  reason: string | null;
  account_id: string | null;
  user_id: string | null;
}

export const operator = { token: adminKeys.operator };
export const viewer = { token: adminKeys.viewer };

export function withSmallPages(app: TestApp): TestApp {
  Object.assign(app.get(ImportTuning), { pageSize: 20, overlap: 4, compared: 25, verified: 3, tidied: 30 });
  return app;
}

/** Actions for tests of imports, on the current service. */
export function importsOf(service: () => TestApp) {
  const work = (app = service()): Promise<void> => app.get(AccountImportWorker).loop.runUntilIdle();

  const claim = (app = service()): Promise<AccountImportEntity[]> =>
    app.store.lane.run((tx) => app.get(AccountImportsRepository).rows.claim(tx, { now: app.clock.now(), limit: 1 }));

  /** One step of the import, as the worker takes it; what it did not do when there is none to take. */
  async function step(app = service()): Promise<'idle' | 'stepped'> {
    const now = app.clock.now();
    const [held] = await claim(app);
    if (!held) return 'idle';
    await app.get(ImportSteps).take(held, now, { priority: 'background' });
    return 'stepped';
  }

  const users = (count: number, prefix: string) => service().sandbox.control.createUsers({ count, prefix });

  async function start(): Promise<ImportBody> {
    const answer = await service().send('POST /admin/v1/accounts/import', operator);
    expect(answer.status).toBe(202);
    return answer.body as unknown as ImportBody;
  }

  async function look(id: number, app = service()): Promise<ImportBody> {
    return (await app.send(`GET /admin/v1/account-imports/${id}`, viewer)).body as unknown as ImportBody;
  }

  async function differences(id: number, kind?: string): Promise<Difference[]> {
    const all: Difference[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `limit=7${kind ? `&kind=${kind}` : ''}${cursor ? `&cursor=${cursor}` : ''}`;
      const { body } = await service().send(`GET /admin/v1/account-imports/${id}/differences?${query}`, viewer);
      all.push(...(body.data as unknown as Difference[]));
      cursor = body.next_cursor;
    } while (cursor);
    return all;
  }

  const mapped = (): Promise<{ account_id: string; upstream_user_id: string }[]> =>
    service().store.reader.rows(`SELECT account_id, upstream_user_id FROM accounts WHERE upstream_user_id IS NOT NULL`);

  /** Every live user of upstream has its account here, and is named by it. */
  async function expectAllAdopted(): Promise<void> {
    const { users: truth } = await service().sandbox.control.truthUsers();
    const pairs = (await mapped()).map((row) => `${row.account_id} ${row.upstream_user_id}`);
    expect(pairs).toEqual(expect.arrayContaining(truth.map((user) => `${user.client_user_id} ${user.user_id}`)));
  }

  return { work, claim, step, users, start, look, differences, mapped, expectAllAdopted };
}
