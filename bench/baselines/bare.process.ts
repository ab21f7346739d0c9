import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { type FastifyRequest, fastify } from 'fastify';
import pg from 'pg';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { webhookSecret } from '../load/deliveries.js';
import { serve } from '../process/serve.js';
import { prepareFull } from './raw-statements.js';

/*
 * The raw limit of accepting: Fastify, a Buffer, one HMAC, one insert, and one commit per turn of the event loop (on
 * PostgreSQL, one statement for all messages that arrived during the previous one). Supports one secret and one header
 * family and stores only the body, so it is not a usable receiver.
 */

const key = createSecretKey(Buffer.from(webhookSecret.replace('whsec_', ''), 'base64'));

function signed(headers: FastifyRequest['headers'], body: Buffer): boolean {
  const text = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.`;
  const digest = createHmac('sha256', key).update(text).update(body).digest();
  const given = Buffer.from((headers['webhook-signature'] as string).slice('v1,'.length), 'base64');
  const age = Date.now() / 1000 - Number(headers['webhook-timestamp']);
  return given.length === digest.length && timingSafeEqual(given, digest) && Math.abs(age) <= 300;
}

interface Waiting {
  readonly id: string;
  readonly body: Buffer;
  readonly stored: () => void;
}

interface Commit {
  store(id: string, body: Buffer): Promise<void>;
}

class GroupCommit implements Commit {
  private waiting: Waiting[] = [];
  private readonly commit: (batch: readonly Waiting[]) => void;

  constructor(path: string) {
    const db = new SqliteDatabase(path);
    prepareFull(db);
    db.exec('CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, body BLOB)');
    const insert = db.prepare('INSERT INTO events (id, at, body) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING');
    this.commit = db.transaction((batch: readonly Waiting[]) => {
      const now = Date.now();
      for (const { id, body } of batch) insert.run(id, now, body);
    });
  }

  store(id: string, body: Buffer): Promise<void> {
    return new Promise((stored) => {
      if (this.waiting.push({ id, body, stored }) === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const batch = this.waiting;
    this.waiting = [];
    this.commit(batch);
    for (const { stored } of batch) stored();
  }
}

const table =
  'CREATE TABLE events (seq BIGSERIAL PRIMARY KEY, id TEXT NOT NULL UNIQUE, at BIGINT NOT NULL, body BYTEA)';
const insertAll = `INSERT INTO events (id, at, body)
  SELECT * FROM UNNEST($1::text[], $2::bigint[], $3::bytea[]) ON CONFLICT (id) DO NOTHING`;

class PostgresGroupCommit implements Commit {
  private waiting: Waiting[] = [];
  private isWriting = false;

  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<PostgresGroupCommit> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP TABLE IF EXISTS events; ${table}`);
    return new PostgresGroupCommit(client);
  }

  store(id: string, body: Buffer): Promise<void> {
    return new Promise((stored) => {
      this.waiting.push({ id, body, stored });
      if (!this.isWriting) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0);
      const now = Date.now();
      const columns = [batch.map(({ id }) => id), batch.map(() => now), batch.map(({ body }) => body)];
      await this.client.query({ name: 'insert', text: insertAll, values: columns });
      for (const { stored } of batch) stored();
    }
    this.isWriting = false;
  }
}

const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

const commands = {
  /** `database`: a file, or a PostgreSQL URL. */
  async listen({ database }: { database: string }): Promise<{ port: number }> {
    const isFile = !database.startsWith('postgres');
    const commit: Commit = isFile ? new GroupCommit(database) : await PostgresGroupCommit.open(database);
    app.post('/webhooks', async (request, reply) => {
      const body = request.body as Buffer;
      if (!signed(request.headers, body)) return reply.code(401).send();
      await commit.store(request.headers['webhook-id'] as string, body);
      return reply.code(204).send();
    });
    return { port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port) };
  },
};
export type BareCommands = typeof commands;

serve(commands);
