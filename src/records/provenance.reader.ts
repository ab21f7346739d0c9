import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import { Reader } from '../database/reader.js';
import type { RecordProvenance } from '../health-data/records.reader.js';

/** Names the messages that records came from as operators know them; records know the number of the row alone. */
@Injectable()
export class ProvenanceReader {
  constructor(private readonly reader: Reader) {}

  /** By `messages.seq`. One look by primary key for all records of a page. */
  async messageIds(provenances: readonly RecordProvenance[]): Promise<Map<number, string>> {
    const seqs = [...new Set(provenances.filter(({ kind }) => kind === 'message').map(({ ref }) => ref))];
    if (seqs.length === 0) return new Map();
    const rows = await this.reader.rows<{ seq: number; message_id: string }>(
      `SELECT seq, message_id FROM messages WHERE seq IN (${placeholders(seqs.length)})`,
      seqs,
    );
    return new Map(rows.map(({ seq, message_id }) => [seq, message_id]));
  }
}
