import { Injectable } from '@nestjs/common';
import { insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { SessionEntity } from './session.entity.js';

/** Sessions created and used after these times have not expired. */
export interface Unexpired {
  readonly createdAfter: number;
  readonly usedAfter: number;
}

/** Owner of the sessions to list; undefined: everybody's. */
export type SessionOwner = Pick<SessionEntity, 'kind' | 'name'> | undefined;
/** Place in a list: the creation time and id of the session before it. */
export type SessionPlace = readonly [createdAt: number, sessionId: string];

const isUnexpired = 'created_at > ? AND used_at > ?';

@Injectable()
export class SessionsRepository {
  constructor(private readonly reader: Reader) {}

  byDigest(digest: string): Promise<SessionEntity | null> {
    return this.reader.row<SessionEntity>('SELECT * FROM console_sessions WHERE digest = ?', [digest]);
  }

  byId(sessionId: string, { createdAfter, usedAfter }: Unexpired): Promise<SessionEntity | null> {
    const sql = `SELECT * FROM console_sessions WHERE session_id = ? AND ${isUnexpired}`;
    return this.reader.row<SessionEntity>(sql, [sessionId, createdAfter, usedAfter]);
  }

  /** Newest first. */
  list(
    { createdAfter, usedAfter }: Unexpired,
    owner: SessionOwner,
    before: SessionPlace | null,
    limit: number,
  ): Promise<SessionEntity[]> {
    const own = owner === undefined ? '' : ' AND kind = ? AND name = ?';
    const earlier = before === null ? '' : ' AND (created_at < ? OR (created_at = ? AND session_id < ?))';
    const [at, id] = before ?? [];
    return this.reader.rows<SessionEntity>(
      `SELECT * FROM console_sessions WHERE ${isUnexpired}${own}${earlier}
       ORDER BY created_at DESC, session_id DESC LIMIT ?`,
      [
        ...[createdAfter, usedAfter],
        ...(owner === undefined ? [] : [owner.kind, owner.name]),
        ...(at === undefined || id === undefined ? [] : [at, at, id]),
        limit,
      ],
    );
  }

  async insert(tx: Tx, session: SessionEntity): Promise<void> {
    const { row, values } = insertion({ ...session });
    await tx.execute(`INSERT INTO console_sessions ${row}`, values);
  }

  async use(tx: Tx, sessionId: string, at: number): Promise<void> {
    await tx.execute('UPDATE console_sessions SET used_at = ? WHERE session_id = ?', [at, sessionId]);
  }

  async delete(tx: Tx, sessionId: string): Promise<void> {
    await tx.execute('DELETE FROM console_sessions WHERE session_id = ?', [sessionId]);
  }

  /** Deletes the oldest sessions of a key or person, but the newest `kept`. */
  async deleteOldest(tx: Tx, boundTo: string, kept: number): Promise<void> {
    await tx.execute(
      `DELETE FROM console_sessions WHERE session_id IN (
         SELECT session_id FROM console_sessions WHERE bound_to = ?
         ORDER BY created_at DESC, session_id DESC LIMIT 1000 OFFSET ?)`,
      [boundTo, kept],
    );
  }

  async deleteExpired(tx: Tx, { createdAfter, usedAfter }: Unexpired): Promise<void> {
    await tx.execute('DELETE FROM console_sessions WHERE created_at <= ? OR used_at <= ?', [createdAfter, usedAfter]);
  }
}
