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

@Injectable()
export class SessionsRepository {
  constructor(private readonly reader: Reader) {}

  byDigest(digest: string): Promise<SessionEntity | null> {
    return this.reader.row<SessionEntity>('SELECT * FROM console_sessions WHERE digest = ?', [digest]);
  }

  /** Newest first. */
  list({ createdAfter, usedAfter }: Unexpired): Promise<SessionEntity[]> {
    return this.reader.rows<SessionEntity>(
      `SELECT * FROM console_sessions WHERE created_at > ? AND used_at > ?
       ORDER BY created_at DESC, session_id DESC LIMIT 1000`,
      [createdAfter, usedAfter],
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

  async deleteExpired(tx: Tx, { createdAfter, usedAfter }: Unexpired): Promise<void> {
    await tx.execute('DELETE FROM console_sessions WHERE created_at <= ? OR used_at <= ?', [createdAfter, usedAfter]);
  }
}
