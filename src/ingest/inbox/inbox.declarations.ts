import { unusedObservations, withoutObservations } from '../../health/reads/health-data.declarations.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import {
  byAccount,
  type ExportLine,
  type ExportSource,
  pagesOf,
  personalRows,
  type Row,
  readable,
  readableBytes,
} from '../../storage/declarations/personal-data.js';
import { type TimelineKind, type TimelineSource, timelineSource, word } from '../../storage/declarations/timeline.js';
import { MessageBodyEntity, MessageEntity } from './message.entity.js';
import { bodySql, lastReceivedAt, looked } from './messages.repository.js';
import { ReplayEntity } from './replay.entity.js';

const messageTitles: Readonly<Record<string, string>> = {
  received: 'arrived and is waiting',
  done: 'arrived',
  retry: 'arrived and will be retried',
  ignored: 'arrived and was ignored',
  dead: 'arrived and failed permanently',
};

function named(eventType: string | null): string {
  return eventType === null ? 'A message' : `The message ${word(eventType)}`;
}

function messages(kind: TimelineKind, at: string, where?: string): TimelineSource {
  return timelineSource(MessageEntity, {
    kind,
    from: 'messages m',
    account: 'm.account_id',
    at,
    keys: [{ column: 'm.seq', type: 'int' }],
    ...(where === undefined ? {} : { where }),
    columns: ['m.message_id', 'm.event_type', 'm.status', 'm.reason', 'm.attempts'],
    show: (row) => ({
      title: `${named(row.event_type)} ${kind === 'message' ? (messageTitles[row.status] ?? 'arrived') : 'failed permanently'}.`,
      ref: { type: 'message', id: row.message_id },
      details: {
        event_type: word(row.event_type),
        status: row.status,
        reason: word(row.reason),
        attempts: row.attempts,
      },
    }),
  });
}

/** Yields messages with their bodies one at a time, because bodies may be large. */
async function* messagesWithBodies({ reader }: ExportSource, accountId: number): AsyncGenerator<readonly ExportLine[]> {
  const read = (after: number, limit: number): Promise<(Row & { readonly seq: number })[]> =>
    reader.rows('SELECT * FROM messages WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?', [
      accountId,
      after,
      limit,
    ]);
  for await (const page of pagesOf(0, read, ({ seq }) => seq)) {
    for (const row of page) {
      // The body may be about another person, so it is not shown to the account.
      const isOwn = row['reason'] !== 'user_mismatch';
      const [stored] = isOwn ? await reader.rows<{ body: Buffer }>(bodySql, [row.seq]) : [];
      const { type, data } = readable(row, {
        as: 'message',
        without: ['seq', 'due_at', 'attempts', 'waits', 'replays', 'outcomes', 'lookup_id', 'replay_id'],
      });
      yield [
        {
          type,
          data: { ...data, ...readableBytes(stored?.body ?? null) },
        },
      ];
    }
  }
}

export const inboxDeclarations: RoomDeclarations = {
  entities: [MessageEntity, MessageBodyEntity, ReplayEntity],
  kept: { message_replays: 'replays of many messages: filters and counts' },
  ended: [
    unusedObservations(
      'message',
      '(SELECT m.account_id FROM messages m WHERE m.seq = r.ref)',
      'NOT EXISTS (SELECT 1 FROM message_bodies b WHERE b.seq = r.ref)',
    ),
    {
      table: 'messages',
      key: 'seq',
      madeAt: 'received_at',
      ended: `r.status IN ('done', 'ignored') AND r.finished_at < :before
        AND NOT EXISTS (SELECT 1 FROM message_bodies b WHERE b.seq = r.seq) AND ${withoutObservations('message', 'r.seq')}`,
    },
  ],
  personal: [
    personalRows(
      MessageBodyEntity,
      [{ column: 'seq', through: { table: 'messages', key: 'seq' } }],
      'with their messages',
    ),
    personalRows(MessageEntity, byAccount, 'with their bodies'),
  ],
  exports: [messagesWithBodies],
  timeline: [messages('message', 'm.received_at'), messages('message_given_up', 'm.finished_at', `m.status = 'dead'`)],
  figures: {
    messages_dead: `SELECT COUNT(*) FROM messages WHERE status = 'dead' AND ${looked}`,
    last_delivery_at: `SELECT ${lastReceivedAt}`,
    inbox_due_since: `SELECT due_at FROM messages WHERE due_at <= :now
      AND (lease_until IS NULL OR lease_until <= :now) ORDER BY due_at LIMIT 1`,
    foreign_messages_today: `SELECT COUNT(*) FROM messages WHERE reason = 'foreign_team' AND received_at >= :day`,
  },
  waiting: {
    message: `SELECT reason AS error, COUNT(*) AS count FROM messages WHERE status = 'retry' AND reason IS NOT NULL
      GROUP BY reason ORDER BY reason`,
  },
  searches: {
    message:
      'SELECT message_id AS id, account_id AS account FROM messages WHERE message_id >= ? AND message_id < ? ORDER BY message_id LIMIT ?',
  },
  auditSubjects: { message: 'SELECT account_id AS account FROM messages WHERE message_id = ?' },
};
