import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { defaultPageLimit } from '../../http/server/page-query.js';
import { csvLine } from '../../platform/platform/csv.js';
import { invalidFields } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { type AccessEntryDto, accessColumns, toAccessEntryDto } from './access-log.dto.js';
import { type AccessFilter, AccessLogRepository } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { MAX_ENTRIES_A_TURN, MAX_READ_AHEAD_BYTES } from './tuning.js';

export interface StreamFormat {
  readonly type: string;
  readonly extension: string;
  readonly head: string;
  readonly line: (entry: AccessEntryDto) => string;
}

export const streamFormats: readonly StreamFormat[] = [
  { type: 'application/x-ndjson', extension: 'ndjson', head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
  {
    type: 'text/csv',
    extension: 'csv',
    head: `${csvLine(accessColumns)}\r\n`,
    line: (entry) => `${csvLine(accessColumns.map((name) => entry[name]))}\r\n`,
  },
];

/** Streams the access log as lines of text, and reads from the database only as fast as the caller reads. */
@Injectable()
export class AccessLogStream {
  constructor(
    private readonly entries: AccessLogRepository,
    private readonly telemetry: AccessLogTelemetry,
    private readonly turns: ReadTurns,
  ) {}

  /** Throws `invalid_request` for `cursor` and `limit`. */
  refusePages(cursor: string | undefined, limit: number): void {
    const field = cursor !== undefined ? 'cursor' : limit !== defaultPageLimit ? 'limit' : null;
    if (field !== null) throw invalidFields({ field, message: `${field} is supported only for pages` });
  }

  /**
   * Streams all matching entries, oldest first, up to the current end of the log. An error ends it early, as does
   * `mayGoOn` if it rejects before a slice.
   */
  async open(
    filter: AccessFilter,
    format: StreamFormat,
    reply: FastifyReply,
    mayGoOn: () => Promise<void>,
  ): Promise<Readable> {
    const until = (await this.entries.range()).newest ?? 0;
    const lines = this.text(filter, until, format, mayGoOn);
    return Readable.from(this.turns.each(reply, lines), { objectMode: false, highWaterMark: MAX_READ_AHEAD_BYTES });
  }

  private async *text(
    filter: AccessFilter,
    until: number,
    { head, line }: StreamFormat,
    mayGoOn: () => Promise<void>,
  ): AsyncGenerator<string> {
    let count = 0;
    let isWhole = false;
    let failure: unknown;
    try {
      if (head !== '') yield head;
      for (let after = 0; after < until; ) {
        await mayGoOn();
        const rows = await this.entries.ascending(filter, after, until, MAX_ENTRIES_A_TURN);
        if (rows.length > 0) yield rows.map((row) => line(toAccessEntryDto(row))).join('');
        count += rows.length;
        after = rows.length < MAX_ENTRIES_A_TURN ? until : (rows.at(-1)?.seq ?? until);
        await yieldToEventLoop();
      }
      isWhole = true;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.telemetry.streamed(isWhole ? 'whole' : 'cut', count, failure);
    }
  }
}
