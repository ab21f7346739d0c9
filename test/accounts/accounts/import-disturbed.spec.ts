import { AccountImportWorker } from '../../../src/accounts/import/account-import.worker.js';
import { LEASE_MS } from '../../../src/storage/database/tuning.js';
import { TestApp } from '../../support/test-app.js';
import { importsOf, withSmallPages } from './support/imports.js';

let service: TestApp;

beforeEach(async () => {
  service = withSmallPages(await TestApp.create({ webhooks: false }));
  await service.sandbox.control.configure({ user_limit: null });
});

afterEach(() => service.close());

const { work, claim, step, users, start, look, differences, mapped, expectAllAdopted } = importsOf(() => service);

describe('an import that is disturbed', () => {
  it('continues at its page after a crash at any step, with the same result', async () => {
    await users(65, 'old');
    const { import_id } = await start();
    let crashes = 0;
    for (; (await look(import_id)).state === 'running'; crashes++) {
      await claim();
      expect(await step()).toBe('idle');
      service.clock.advance(LEASE_MS);
      expect(await step()).toBe('stepped');
    }
    expect(crashes).toBeGreaterThan(5);
    expect(await look(import_id)).toMatchObject({ state: 'done', adopted: 65, known: 0, refused: 0, pages: 4 });
    expect(await differences(import_id)).toHaveLength(65);
    await expectAllAdopted();
  });

  it('writes nothing after it lost its lease', async () => {
    await users(10, 'old');
    await start();
    const other = withSmallPages(await service.another());
    const loop = service.get(AccountImportWorker).loop;
    await service.sandbox.control.fault({ kind: 'slow', path: '^/v2/user$', delay_ms: 60_000, times: 1 });
    const slow = loop.runUntilIdle();
    while ((await service.sandbox.control.faults()).faults.every(({ struck }) => struck === 0)) await Promise.resolve();
    other.clock.advance(300_001);
    await work(other);
    const after = await service.store.reader.rows('SELECT * FROM account_imports');
    await service.sandbox.control.clearFaults();
    await slow;
    expect(await service.store.reader.rows('SELECT * FROM account_imports')).toEqual(after);
    await expectAllAdopted();
    expect(await mapped()).toHaveLength(10);
  });

  it('waits visibly while upstream is down, then continues', async () => {
    await users(30, 'old');
    await service.sandbox.control.fault({
      kind: 'status',
      status: 429,
      retry_after: 120,
      path: '^/v2/user$',
      skip: 1,
      times: 1,
    });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({
      state: 'running',
      pages: 1,
      failures: 1,
      last_error: 'upstream_throttled',
      due_at: '2026-11-20T12:02:00.000Z',
    });
    await service.sandbox.control.fault({ kind: 'status', status: 503, path: '^/v2/user$', times: 3 });
    service.clock.advance(120_000);
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'running', failures: 2, last_error: 'upstream_unavailable' });
    service.clock.advance(900_000);
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'done', adopted: 30, failures: 0, last_error: null });
  });

  it('fails with its own code if upstream refuses the key, and can be requested again', async () => {
    await users(30, 'old');
    await service.sandbox.control.fault({ kind: 'status', status: 401, path: '^/v2/user$', skip: 1, times: 1 });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'failed', last_error: 'upstream_unauthorized', due_at: null });
    const second = await start();
    expect(second.import_id).not.toBe(import_id);
    await work();
    expect(await look(second.import_id)).toMatchObject({ state: 'done', known: 20, adopted: 10 });
  });

  it('fails after some attempts if the list of upstream cannot be read', async () => {
    await service.sandbox.control.fault({ kind: 'empty', path: '^/v2/user$' });
    const { import_id } = await start();
    for (let round = 0; round < 20 && (await look(import_id)).state === 'running'; round++) {
      await work();
      service.clock.advance(900_000);
    }
    expect(await look(import_id)).toMatchObject({ state: 'failed', failures: 5, last_error: 'upstream_contract' });
  });

  it('deletes the list of seen users at its end', async () => {
    await users(65, 'old');
    await start();
    await work();
    expect(await service.store.reader.rows('SELECT * FROM account_import_seen_users')).toEqual([]);
  });
});
