import { generateKeyPairSync } from 'node:crypto';
import { AccessLogRepository } from '../../../src/privacy/access-log/access-log.repository.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { type ChainedEntry, hashOf } from '../../../src/privacy/access-log/chain.js';
import { ChainRetentionWorker, KEPT_MS } from '../../../src/privacy/access-log/chain-retention.worker.js';
import type { VerificationDto } from '../../../src/privacy/access-log/verification.dto.js';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

describe('the access log, changed by someone with write access to its tables', () => {
  let app: TestApp;

  const begin = async (env: Record<string, string> = {}): Promise<void> => {
    app = await TestApp.create({ upstream: { url: nowhere }, env });
    await fill(5);
  };

  afterEach(() => app.close());

  async function fill(count: number): Promise<void> {
    for (let n = 1; n <= count; n++) await app.get(AccessLog).record(access({ request_id: `request-${n}` }));
    await app.chainAccesses();
  }

  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));

  /** One UPDATE and one DELETE, with the triggers in place. */
  async function cutBefore(seq: number): Promise<void> {
    await execute(
      `UPDATE access_log_chain SET first_seq = ${seq},
         anchor_hash = (SELECT hash FROM access_log WHERE seq = ${seq - 1})`,
    );
    await execute(`DELETE FROM access_log WHERE seq < ${seq}`);
  }

  async function loseEnds(): Promise<void> {
    await execute(
      `DROP TRIGGER access_log_chain_kept${app.store.dialect === 'postgres' ? ' ON access_log_chain' : ''}`,
    );
    await execute('DELETE FROM access_log_chain');
  }

  async function verified(...noted: object[]): Promise<Partial<VerificationDto>> {
    const call = noted.length === 0 ? (['GET'] as const) : (['POST', { noted }] as const);
    const { status, body } = await app.admin<VerificationDto>(call[0], '/access-log/verification', call[1]);
    expect(status).toBe(200);
    return body;
  }

  const hashAt = async (seq: number): Promise<string> =>
    (await app.store.reader.row<{ hash: string }>('SELECT hash FROM access_log WHERE seq = ?', [seq]))?.hash ?? '';

  it('is detected as cut at its front, even with a noted head that still exists', async () => {
    await begin();
    const noted = { seq: 5, hash: await hashAt(5) };
    expect(await verified(noted)).toMatchObject({ intact: true });
    await cutBefore(3);
    const found = { intact: false, broken_at: 1, reason: 'removal_unrecorded' };
    expect(await verified()).toMatchObject(found);
    expect(await verified(noted)).toMatchObject(found);
  });

  it('has a finding if the noted head was cut off', async () => {
    await begin();
    const noted = { seq: 1, hash: await hashAt(1) };
    app.clock.advance(KEPT_MS + 1);
    await app.get(ChainRetentionWorker).removeOldest();
    expect(await verified()).toMatchObject({ intact: true, first_seq: 6, unproven: ['removal_unsigned'] });
    expect(await verified(noted)).toMatchObject({ intact: false, broken_at: 1, reason: 'noted_missing' });
  });

  it('is compared with many noted entries together', async () => {
    await begin();
    const noted = await Promise.all([1, 3, 5].map(async (seq) => ({ seq, hash: await hashAt(seq) })));
    const post = (body: object) => app.admin<VerificationDto>('POST', '/access-log/verification', body);
    expect((await post({ noted })).body).toMatchObject({ intact: true });
    const other = [...noted, { seq: 4, hash: await hashAt(1) }];
    expect((await post({ noted: other })).body).toMatchObject({ intact: false, broken_at: 4, reason: 'not_as_noted' });
    expect((await post({ noted: [] })).status).toBe(400);
    expect((await post({ noted: [{ seq: 1 }] })).status).toBe(400);
  });

  it('accepts entries after its ends were lost, and never looks intact again', async () => {
    await begin();
    await loseEnds();
    expect(await verified()).toMatchObject({ intact: false, broken_at: null, reason: 'chain_missing' });
    const found = { intact: false, broken_at: 6, reason: 'chain_restarted' };
    expect(await verified()).toMatchObject({ ...found, entries: 7, first_seq: 1 });
    await fill(2);
    expect(await verified()).toMatchObject(found);
    const restart = await app.store.reader.row('SELECT actor, action, target FROM access_log WHERE seq = 6');
    expect(restart).toEqual({
      actor: 'system',
      action: 'begin the lost ends of the access log anew',
      target: 'after:5',
    });
  });

  it('shows further missing entries even after its ends were lost', async () => {
    await begin();
    await cutBefore(3);
    await loseEnds();
    await fill(1);
    expect(await verified()).toMatchObject({ intact: false, broken_at: 1, reason: 'removal_unrecorded' });
  });

  it('begins with 1 if everything was lost, and then lacks the noted entries', async () => {
    await begin();
    const noted = { seq: 5, hash: await hashAt(5) };
    await execute('UPDATE access_log_chain SET first_seq = 6');
    await execute('DELETE FROM access_log');
    await loseEnds();
    await fill(1);
    expect(await verified()).toMatchObject({ entries: 2, first_seq: 1, broken_at: 1, reason: 'chain_restarted' });
    expect(await verified(noted)).toMatchObject({ intact: false });
  });

  it('proves a removal by a signature if there is a key, and accepts none without', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    await begin({ ACCESS_LOG_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() });
    app.clock.advance(KEPT_MS + 1);
    await fill(3);
    await app.get(ChainRetentionWorker).removeOldest();
    expect(await verified()).toMatchObject({ intact: true, first_seq: 6, unproven: [] });
    await app.get(AccessLog).record(
      access({
        actor: 'system',
        role: null,
        action: 'remove old entries of the access log',
        target: `from:6 to:7 count:2 hash:${await hashAt(7)}`,
      }),
    );
    await cutBefore(8);
    expect(await verified()).toMatchObject({ intact: false, reason: 'removal_unsigned' });
  });

  it.each([
    ['without their hashes', false],
    ['with hashes made anew', true],
  ])('removes no entries as old whose times were changed, %s', async (_, anew) => {
    await begin({
      ACCESS_LOG_KEY: generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    });
    await execute(`DROP TRIGGER access_log_unchanged${app.store.dialect === 'postgres' ? ' ON access_log' : ''}`);
    let previous = '0'.repeat(64);
    for (let seq = 1; seq <= 3; seq++) {
      const [entry] = (await app.get(AccessLogRepository).slice(seq - 1, seq, 1)) as [ChainedEntry];
      const changed = { ...entry, at: 1, previous_hash: anew ? previous : entry.previous_hash };
      previous = hashOf(changed);
      await execute(
        `UPDATE access_log SET at = 1, previous_hash = '${changed.previous_hash}',
           hash = '${anew ? previous : entry.hash}' WHERE seq = ${seq}`,
      );
    }
    expect(await app.get(ChainRetentionWorker).removeOldest()).toBe(false);
    expect(app.logs.join('')).toContain('access_log.removal_refused');
    expect(await verified()).toMatchObject({ intact: false, first_seq: 1, broken_at: anew ? 4 : 1 });
  });
});
