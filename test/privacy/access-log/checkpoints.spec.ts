import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { compactVerify } from 'jose';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import type { CheckpointDto, VerificationDto } from '../../../src/privacy/access-log/verification.dto.js';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

const pem = (): string => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const path = '/access-log/checkpoint';
const verification = '/access-log/verification';

interface Noted {
  readonly seq: number;
  readonly hash: string;
}

describe('a checkpoint of the access log', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere }, env: { ACCESS_LOG_KEY: pem() } });
    await fill(3);
  });

  afterEach(() => app.close());

  async function fill(count: number): Promise<void> {
    for (let n = 1; n <= count; n++) await app.get(AccessLog).record(access({ request_id: `request-${n}` }));
    await app.chainAccesses();
  }

  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));

  /** As a monitoring job asks for it. */
  async function checkpoint(): Promise<CheckpointDto> {
    const { status, body } = await app.admin<CheckpointDto>('GET', path, undefined, 'monitor');
    expect(status).toBe(200);
    return body;
  }

  async function noted(): Promise<Noted> {
    const { checkpoint: jws, public_key } = await checkpoint();
    const { payload } = await compactVerify(jws, createPublicKey(public_key));
    return JSON.parse(Buffer.from(payload).toString()) as Noted;
  }

  async function verified(...kept: Noted[]): Promise<Partial<VerificationDto>> {
    const sent = kept.map(({ seq, hash }) => ({ seq, hash }));
    const answer =
      kept.length === 0
        ? await app.admin<VerificationDto>('GET', verification)
        : await app.admin<VerificationDto>('POST', verification, { noted: sent });
    return answer.body;
  }

  async function alarms(): Promise<string[]> {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
    return body.data.map(({ code }) => code);
  }

  async function unguard(): Promise<void> {
    const on = app.store.dialect === 'postgres' ? ' ON access_log' : '';
    for (const name of ['unchanged', 'kept']) await execute(`DROP TRIGGER access_log_${name}${on}`);
  }

  async function cutEnd(after: number): Promise<void> {
    await unguard();
    await execute(`DELETE FROM access_log WHERE seq > ${after}`);
    await execute(`UPDATE access_log_chain SET last_seq = ${after},
      last_hash = (SELECT hash FROM access_log WHERE seq = ${after})`);
  }

  it('is signed so that a library can verify it, and states the end of the log', async () => {
    const { checkpoint: jws, public_key } = await checkpoint();
    const { payload, protectedHeader } = await compactVerify(jws, createPublicKey(public_key));
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: expect.any(String), typ: 'pulsekeep-checkpoint+jws' });
    const end = await app.store.reader.row<{ hash: string }>('SELECT hash FROM access_log WHERE seq = 3');
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
      first_seq: 1,
      seq: 3,
      hash: end?.hash,
      at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('is not an entry of the log, so frequent requests make nothing grow', async () => {
    const first = await noted();
    expect(await noted()).toMatchObject({ seq: first.seq, hash: first.hash });
  });

  it('of an empty log, and of one that has grown since, matches', async () => {
    const empty = await TestApp.create({ upstream: { url: nowhere }, env: { ACCESS_LOG_KEY: pem() } });
    const { body } = await empty.admin<CheckpointDto>('GET', path);
    const { payload } = await compactVerify(body.checkpoint, createPublicKey(body.public_key));
    const { seq, hash } = JSON.parse(Buffer.from(payload).toString()) as Noted;
    expect(seq).toBe(0);
    const found = await empty.admin('POST', verification, { noted: [{ seq, hash }] });
    expect(found).toMatchObject({ status: 200, body: { intact: true } });
    await empty.close();
    const before = await noted();
    await fill(2);
    expect(await verified(before, await noted())).toMatchObject({ intact: true, unproven: [] });
  });

  it.each([
    ['cut off', 0, 'noted_missing'],
    ['written anew', 8, 'not_as_noted'],
  ])('shows that the end was %s since, which the table alone does not show', async (_, more, reason) => {
    await fill(5);
    const kept = await noted();
    await cutEnd(2);
    await fill(more);
    expect(await verified()).toMatchObject({ intact: true });
    expect(await verified(kept)).toMatchObject({ intact: false, broken_at: 8, reason });
  });

  it('needs a key', async () => {
    const without = await app.another({ upstream: { url: nowhere } });
    const { status, body } = await without.admin('GET', path);
    expect([status, body['code']]).toEqual([409, 'conflict']);
  });

  it('cannot be made of a log without its row of ends', async () => {
    const on = app.store.dialect === 'postgres' ? ' ON access_log_chain' : '';
    await execute(`DROP TRIGGER access_log_chain_kept${on}`);
    await execute('DELETE FROM access_log_chain');
    expect((await app.admin('GET', path)).status).toBe(409);
    expect(await verified()).toMatchObject({ intact: false, reason: 'chain_missing' });
  });

  it('that does not match raises no alarm, but a changed entry does', async () => {
    expect(await verified({ seq: 2, hash: '0'.repeat(64) })).toMatchObject({ reason: 'not_as_noted' });
    expect(await alarms()).toEqual([]);
    await unguard();
    await execute(`UPDATE access_log SET actor = 'other' WHERE seq = 2`);
    expect(await verified()).toMatchObject({ broken_at: 2, reason: 'entry_changed' });
    expect(await alarms()).toEqual(['access_log_broken']);
    await execute(`UPDATE access_log SET actor = 'support' WHERE seq = 2`);
    expect(await verified()).toMatchObject({ intact: true });
    expect(await alarms()).toEqual(['access_log_broken']);
  });
});
