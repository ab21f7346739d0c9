import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compactVerify, importJWK, type JWK } from 'jose';
import { AccessLog } from '../../src/access-log/access-log.service.js';
import { CheckpointsWorker } from '../../src/access-log-verification/checkpoints.worker.js';
import { VerificationWorker } from '../../src/access-log-verification/verification.worker.js';
import { AlarmsWorker } from '../../src/alarms/alarms.worker.js';
import { MINUTE, nowhere, SECOND } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { access } from './support/access.js';

const pem = (): string => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

describe('checkpoints of the access log', () => {
  let app: TestApp;
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
    file = join(folder, 'kept', 'checkpoints.jws');
  });

  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  async function begin(env: Record<string, string> = {}): Promise<void> {
    app = await TestApp.create({ upstream: { url: nowhere }, env: { ACCESS_LOG_KEY: pem(), ...env } });
    await fill(3);
  }

  async function fill(count: number): Promise<void> {
    for (let n = 1; n <= count; n++) await app.get(AccessLog).record(access({ request_id: `request-${n}` }));
  }

  const execute = (sql: string): Promise<number> => app.store.lane.run((tx) => tx.execute(sql));
  const lines = (): string[] => readFileSync(file, 'utf8').trim().split('\n');
  const logged = (event: string) =>
    app.logs.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['event'] === event);
  async function alarms(): Promise<string[]> {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
    return body.data.map(({ code }) => code);
  }

  it('are signed so that a library can verify them with the published key, and say where the log ends', async () => {
    await begin();
    await app.run(CheckpointsWorker);
    const [line] = logged('access_log.checkpoint');
    const { body } = await app.admin<{ keys: JWK[] }>('GET', '/access-log/checkpoint-keys', undefined, 'monitor');
    const key = await importJWK(body.keys[0] ?? {}, 'EdDSA');
    const { payload, protectedHeader } = await compactVerify(String(line?.['checkpoint']), key);
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: body.keys[0]?.kid, typ: 'pulsekeep-checkpoint+jws' });
    const ends = await app.get(AccessLog).ends();
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
      first_seq: 1,
      seq: 3,
      hash: ends?.last_hash,
      at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('are made on schedule, also where nothing was added, and none of an empty log or without a key', async () => {
    app = await TestApp.create({ upstream: { url: nowhere }, env: { ACCESS_LOG_KEY: pem() } });
    await app.run(CheckpointsWorker);
    expect(logged('access_log.checkpoint')).toHaveLength(0);
    await fill(1);
    for (const minutes of [0, 59, 1]) {
      app.clock.advance(minutes * MINUTE);
      await app.run(CheckpointsWorker);
    }
    expect(logged('access_log.checkpoint')).toHaveLength(2);
    const without = await app.another({ upstream: { url: nowhere } });
    await without.run(CheckpointsWorker);
    expect(without.logs.join('')).not.toContain('access_log.checkpoint');
    expect((await without.admin<{ keys: unknown[] }>('GET', '/access-log/checkpoint-keys')).body.keys).toEqual([]);
  });

  it('are added to a file that is for its owner alone', async () => {
    await begin({ ACCESS_LOG_CHECKPOINT_PATH: file, ACCESS_LOG_CHECKPOINT_MINUTES: '5' });
    await app.run(CheckpointsWorker);
    app.clock.advance(5 * MINUTE);
    await app.run(CheckpointsWorker);
    expect(lines()).toEqual(logged('access_log.checkpoint').map(({ checkpoint }) => checkpoint));
    expect(lines()).toHaveLength(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await app.metric('access_log_checkpoint_timestamp_seconds', { place: 'file' })).toBe(
      app.clock.now() / SECOND,
    );
  });

  it('raise an alarm where the file takes none for five minutes, and end it with the next that is taken', async () => {
    mkdirSync(file, { recursive: true });
    await begin({ ACCESS_LOG_CHECKPOINT_PATH: file });
    await app.run(CheckpointsWorker);
    expect(await alarms()).toEqual([]);
    app.clock.advance(5 * MINUTE);
    await app.run(CheckpointsWorker);
    expect(await alarms()).toEqual(['checkpoints_undelivered']);
    expect(logged('access_log.checkpoint_undelivered')[0]).toMatchObject({ kind: 'file', code: 'EISDIR' });
    rmSync(file, { recursive: true });
    await app.run(CheckpointsWorker);
    expect(await alarms()).toEqual([]);
    expect(lines()).toEqual([logged('access_log.checkpoint')[0]?.['checkpoint']]);
  });

  describe('posted to an address', () => {
    let server: Server;
    let url: string;
    let status: number;
    const bodies: { path: string; body: unknown; headers: object }[] = [];

    beforeEach(async () => {
      status = 204;
      bodies.length = 0;
      server = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          const body: unknown = JSON.parse(Buffer.concat(parts).toString());
          bodies.push({ path: request.url ?? '', body, headers: request.headers });
          response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kept`;
    });

    afterEach(() => server.close());

    it('arrive as JSON, with nothing else', async () => {
      await begin({ ACCESS_LOG_CHECKPOINT_URL: url });
      await app.run(CheckpointsWorker);
      expect(bodies).toHaveLength(1);
      expect(bodies[0]).toMatchObject({ path: '/kept', headers: { 'content-type': 'application/json' } });
      expect(bodies[0]?.body).toEqual({ checkpoint: logged('access_log.checkpoint')[0]?.['checkpoint'] });
      expect(JSON.stringify(bodies[0]?.headers)).not.toMatch(/authorization|x-service/);
    });

    it.each([500, 307, 404])('are sent again after %d, and to nowhere else', async (refusal) => {
      status = refusal;
      await begin({ ACCESS_LOG_CHECKPOINT_URL: url });
      await app.run(CheckpointsWorker);
      expect(bodies.map(({ path }) => path)).toEqual(['/kept']);
      expect(logged('access_log.checkpoint_undelivered')[0]).toMatchObject({
        kind: 'address',
        upstream_status: refusal,
      });
      status = 200;
      await app.run(CheckpointsWorker);
      expect(bodies.map(({ body }) => body)).toEqual([bodies[0]?.body, bodies[0]?.body]);
      await app.run(CheckpointsWorker);
      expect(bodies).toHaveLength(2);
    });

    it('are tried again where nobody answers, and name no address in the log', async () => {
      await begin({ ACCESS_LOG_CHECKPOINT_URL: 'http://127.0.0.1:9/marked' });
      await app.run(CheckpointsWorker);
      expect(logged('access_log.checkpoint_undelivered')).toHaveLength(1);
      expect(app.logs.join('')).not.toContain('marked');
    });
  });

  describe('and checks on schedule', () => {
    async function unguard(): Promise<void> {
      const on = (table: string): string => (app.store.dialect === 'postgres' ? ` ON ${table}` : '');
      for (const name of ['unchanged', 'kept']) await execute(`DROP TRIGGER access_log_${name}${on('access_log')}`);
    }
    async function cutEnd(after: number): Promise<void> {
      await unguard();
      await execute(`DELETE FROM access_log WHERE seq > ${after}`);
      await execute(`UPDATE access_log_chain SET last_seq = ${after},
        last_hash = (SELECT hash FROM access_log WHERE seq = ${after})`);
    }

    it('say when the log was found whole', async () => {
      await begin();
      expect(await app.metric('access_log_verified_timestamp_seconds')).toBe(0);
      await app.run(VerificationWorker);
      expect(await app.metric('access_log_verified_timestamp_seconds')).toBe(app.clock.now() / SECOND);
      expect(await alarms()).toEqual([]);
    });

    it('find an entry that was changed, and keep the alarm though it is changed back', async () => {
      await begin();
      await unguard();
      await execute(`UPDATE access_log SET actor = 'other' WHERE seq = 2`);
      await app.run(VerificationWorker);
      expect(await alarms()).toEqual(['access_log_broken']);
      expect(logged('access_log.broken')[0]).toMatchObject({ seq: 2, reason: 'entry_changed' });
      await execute(`UPDATE access_log SET actor = 'support' WHERE seq = 2`);
      app.clock.advance(60 * MINUTE);
      await app.run(VerificationWorker);
      expect(logged('access_log.broken')).toHaveLength(1);
      expect(await alarms()).toEqual(['access_log_broken']);
    });

    it.each([
      ['cut off', 0, 'entry_missing'],
      ['written anew', 3, 'link_broken'],
    ])('find an end that was %s since, which no look at the table alone shows', async (_, more, reason) => {
      await begin();
      await app.run(VerificationWorker);
      await cutEnd(2);
      await fill(more);
      await app.run(VerificationWorker);
      expect(await alarms()).toEqual(['access_log_broken']);
      expect(logged('access_log.broken')[0]).toMatchObject({ reason });
    });

    it('find a change behind what was followed once a day', async () => {
      await begin();
      await app.run(VerificationWorker);
      await unguard();
      await execute(`UPDATE access_log SET actor = 'other' WHERE seq = 2`);
      await app.run(VerificationWorker);
      expect(logged('access_log.broken')).toHaveLength(0);
      app.clock.advance(24 * 60 * MINUTE);
      await app.run(VerificationWorker);
      expect(logged('access_log.broken')).toHaveLength(1);
    });

    it('find that the row of ends was lost', async () => {
      await begin();
      const on = app.store.dialect === 'postgres' ? ' ON access_log_chain' : '';
      await execute(`DROP TRIGGER access_log_chain_kept${on}`);
      await execute('DELETE FROM access_log_chain');
      await app.run(VerificationWorker);
      expect(await alarms()).toEqual(['access_log_broken']);
    });

    it('of a new process go on from the newest checkpoint of the file', async () => {
      await begin({ ACCESS_LOG_CHECKPOINT_PATH: file });
      const env = { ACCESS_LOG_KEY: pem(), ACCESS_LOG_CHECKPOINT_PATH: file };
      const first = await app.another({ upstream: { url: nowhere }, env });
      await first.run(CheckpointsWorker);
      await cutEnd(2);
      const next = await app.another({ upstream: { url: nowhere }, env });
      await next.run(VerificationWorker);
      expect(next.logs.join('')).toContain('"reason":"noted_missing"');
      writeFileSync(file, `${lines()[0]?.slice(0, -4)}AAAA\nnot a whole line`);
      const other = await app.another({ upstream: { url: nowhere }, env });
      await other.run(VerificationWorker);
      expect(other.logs.join('')).not.toContain('access_log.broken');
    });
  });
});
