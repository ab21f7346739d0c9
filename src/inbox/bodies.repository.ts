import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';

/** What retention reads and removes: bodies of messages, never the messages. */
@Injectable()
export class BodiesRepository {
  constructor(private readonly reader: Reader) {}

  /** Messages that still have a body, oldest first, of those first received before `before`; walks the bodies by `seq`. */
  async next(afterSeq: number, before: number, limit: number): Promise<number[]> {
    const newest = await this.reader.row<{ seq: number }>(
      'SELECT seq FROM messages WHERE received_at < ? ORDER BY received_at DESC, seq DESC LIMIT 1',
      [before],
    );
    if (!newest) return [];
    const rows = await this.reader.rows<{ seq: number }>(
      'SELECT seq FROM message_bodies WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      [afterSeq, newest.seq, limit],
    );
    return rows.map(({ seq }) => seq);
  }

  /** Removes the bodies of those that were finished before `before`; a message that is replayed just now keeps its body. */
  remove(tx: Tx, seqs: readonly number[], before: number): Promise<number> {
    return tx.execute(
      `DELETE FROM message_bodies WHERE seq IN (
         SELECT seq FROM messages WHERE seq IN (${placeholders(seqs.length)})
           AND status IN ('done', 'ignored') AND finished_at < ? ${tx.skipLocked})`,
      [...seqs, before],
    );
  }
}
