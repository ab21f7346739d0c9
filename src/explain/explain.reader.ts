import { Injectable } from '@nestjs/common';
import type { Resource } from '../catalogue/catalogue.js';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import { startOf } from '../day-evidence/days.js';
import { observedAt } from '../health-data/observation.js';
import { DAY_MS, type TimeRange } from '../platform/time.js';
import type { MessageGroup, StoredOfDay } from './case.js';

/** Messages have rising numbers, but those of several processes may trade places by moments. */
const ORDER_SLACK_MS = 600_000;
const SUMMARY_SLACK_MS = 2 * DAY_MS;

const seqAt = 'SELECT seq FROM messages WHERE received_at >= ? ORDER BY received_at LIMIT 1';
const eventNames = 3;

/** All that is read here, for the test that nothing is read whole. */
export const explainSql = {
  seqAt,
  messages: `SELECT g.event_type, g.status, g.reason, g.count, g.first_at, g.last_at, m.message_id
    FROM (SELECT event_type, status, reason, COUNT(*) AS count, MIN(received_at) AS first_at,
        MAX(received_at) AS last_at, MAX(seq) AS seq
      FROM messages WHERE account_id = ? AND seq >= ? AND seq < ? AND received_at >= ? AND received_at < ?
       AND event_type IN (${placeholders(eventNames)})
      GROUP BY event_type, status, reason) g
    JOIN messages m ON m.seq = g.seq ORDER BY g.seq`,
  lastOfAccount: 'SELECT received_at FROM messages WHERE account_id = ? ORDER BY seq DESC LIMIT 1',
  samples: `SELECT s.provider, COUNT(*) AS records, MAX(p.observation_id) AS observation
    FROM series s JOIN samples p ON p.series_id = s.id
    WHERE s.account_id = ? AND s.resource = ? AND p.time >= ? AND p.time < ? GROUP BY s.provider`,
  summaries: `SELECT provider, COUNT(*) AS records, MAX(observation_id) AS observation FROM summaries
    WHERE account_id = ? AND resource = ? AND time >= ? AND time < ?
     AND (calendar_date = ? OR (calendar_date IS NULL AND time >= ? AND time < ?)) GROUP BY provider`,
} as const;

/** What no feature reads for one account, resource and day. `account` is the internal number. */
@Injectable()
export class ExplainReader {
  constructor(private readonly reader: Reader) {}

  /** Deliveries about a resource within a range, as groups in the order of their last one. */
  async messages(account: number, { eventName }: Resource, { start, end }: TimeRange): Promise<MessageGroup[]> {
    const [from, to] = await Promise.all([this.seqAt(start - ORDER_SLACK_MS), this.seqAt(end + ORDER_SLACK_MS)]);
    if (from === null || eventName === null) return [];
    const names = [
      `daily.data.${eventName}.created`,
      `daily.data.${eventName}.updated`,
      `historical.data.${eventName}.created`,
    ];
    const bounds = [from, to ?? Number.MAX_SAFE_INTEGER, start, end];
    return this.reader.rows(explainSql.messages, [account, ...bounds, ...names]);
  }

  async lastOfAccount(account: number): Promise<number | null> {
    const row = await this.reader.row<{ received_at: number }>(explainSql.lastOfAccount, [account]);
    return row?.received_at ?? null;
  }

  /** By source; the newest look that brought a record of the day. */
  async stored(account: number, resource: Resource, day: string): Promise<StoredOfDay[]> {
    const [start, end] = [startOf(day), startOf(day) + DAY_MS];
    const key = [account, resource.name];
    const isSummary = resource.family === 'summary';
    const near = [start - SUMMARY_SLACK_MS, end + SUMMARY_SLACK_MS];
    const rows = await this.reader.rows<{ provider: string; records: number; observation: number }>(
      isSummary ? explainSql.summaries : explainSql.samples,
      isSummary ? [...key, ...near, day, start, end] : [...key, start, end],
    );
    return rows.map(({ provider, records, observation }) => ({
      provider,
      records,
      observedAt: observedAt(observation),
    }));
  }

  /** The number of the first message received at or after an instant. */
  private async seqAt(at: number): Promise<number | null> {
    return (await this.reader.row<{ seq: number }>(explainSql.seqAt, [at]))?.seq ?? null;
  }
}
