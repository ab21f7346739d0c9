import { OwnerLookupsWorker } from '../../../../src/ingest/events/owner-lookups.worker.js';
import { InboxWorker } from '../../../../src/ingest/inbox/inbox.worker.js';
import { MessageEntity } from '../../../../src/ingest/inbox/message.entity.js';
import { signedHeaders } from '../../../support/signed-message.js';
import { Table } from '../../../support/tables.js';
import type { TestApp } from '../../../support/test-app.js';

export interface Delivery {
  readonly id?: string;
  /** Epoch milliseconds of the attempt; now when left out. */
  readonly at?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

let ids = 0;

export function newMessageId(): string {
  ids += 1;
  return `msg_${ids}`;
}

/** Delivers a signed message; returns the status. An object is sent as JSON. */
export async function deliver(
  app: TestApp,
  content: object | string | Buffer,
  { id = newMessageId(), at = app.clock.now(), headers = {} }: Delivery = {},
): Promise<number> {
  const body = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  const signed = signedHeaders(id, at, body);
  const { status } = await app.call(
    'POST',
    '/webhooks',
    { 'content-type': 'application/json', ...signed, ...headers },
    body,
  );
  return status;
}

/** Processes what is due, and what waits for a lookup of its user. */
export async function processed(app: TestApp): Promise<void> {
  await app.run(InboxWorker);
  await app.get(InboxWorker).longLoop.runUntilIdle();
  await app.run(OwnerLookupsWorker);
  await app.run(InboxWorker);
  await app.get(InboxWorker).longLoop.runUntilIdle();
}

export async function emptyInbox({ store }: TestApp): Promise<void> {
  await store.lane.run(async (tx) => {
    await tx.execute('DELETE FROM messages');
  });
}

/** The messages of the inbox; they go by upstream's id. */
export function messagesOf(app: TestApp): Table<MessageEntity> {
  return new Table(app.store.reader, MessageEntity, 'message_id');
}

export async function countOf(app: TestApp, table: string): Promise<number> {
  const row = await app.store.reader.row<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`);
  return row?.count ?? 0;
}

/** Makes every write that needs the table fail until the answer is called: a fault of the real store. */
export async function withoutTable({ store }: TestApp, table: string): Promise<() => Promise<void>> {
  await store.lane.run((tx) => tx.execute(`ALTER TABLE ${table} RENAME TO ${table}_gone`));
  return async () => {
    await store.lane.run((tx) => tx.execute(`ALTER TABLE ${table}_gone RENAME TO ${table}`));
  };
}
