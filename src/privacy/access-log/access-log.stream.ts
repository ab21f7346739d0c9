import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { defaultPageLimit } from '../../http/server/page-query.js';
import { AppError } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { toAccessEntryDto } from './access-log.dto.js';
import { type AccessFilter, AccessLogRepository } from './access-log.repository.js';
import type { AccessQuery } from './access-log.service.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';

/** Entries between two turns of the event loop: some milliseconds. */
const SLICE_SIZE = 100;
/** Bytes buffered for the caller; no more rows are read while the buffer is full. */
const READ_AHEAD_BYTES = 65_536;

/** The access log as lines of JSON, read from the database only as fast as the caller reads. */
@Injectable()
export class AccessLogStream {
  constructor(
    private readonly entries: AccessLogRepository,
    private readonly telemetry: AccessLogTelemetry,
  ) {}

  /**
   * All matching entries, oldest first, up to the current end of the log. An error ends the stream early. Throws
   * `invalid_request` for `cursor` and `limit`.
   */
  async open({ cursor, limit, ...filter }: AccessQuery): Promise<Readable> {
    const ofPages = cursor !== undefined ? 'cursor' : limit !== defaultPageLimit ? 'limit' : null;
    if (ofPages !== null) {
      throw new AppError('invalid_request', 'Streams do not take `cursor` or `limit`.', {
        fields: [{ field: ofPages, message: `${ofPages} is for pages only` }],
      });
    }
    const until = (await this.entries.range()).newest ?? 0;
    return Readable.from(this.text(filter, until), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
  }

  private async *text(filter: AccessFilter, until: number): AsyncGenerator<string> {
    let count = 0;
    let isWhole = false;
    let failure: unknown;
    try {
      for (let after = 0; after < until; ) {
        const rows = await this.entries.ascending(filter, after, until, SLICE_SIZE);
        if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(toAccessEntryDto(row))}\n`).join('');
        count += rows.length;
        after = rows.length < SLICE_SIZE ? until : (rows.at(-1)?.seq ?? until);
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
