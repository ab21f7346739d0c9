import { Injectable } from '@nestjs/common';
import { Reader } from '../database/reader.js';
import { mapInTurns } from '../platform/event-loop.js';
import type { RecordsFilter } from './records.reader.js';
import { type RecordRead, type SummaryRow, summaryFields, summaryFilter, toSummaryRead } from './records.reader.js';

/** `after` is day and provider of the last record of the page before. */
export interface LatestQuery extends RecordsFilter {
  readonly after: readonly [day: string, provider: string] | null;
  readonly limit: number;
}

/** Of the summaries of each calendar day, the newest of each provider. */
@Injectable()
export class LatestPerDayReader {
  constructor(private readonly reader: Reader) {}

  /**
   * At most `limit` records by day, then provider. The newest is the one upstream changed last, of equals the one seen
   * last. Filters come first: the newest of those that pass. Objects that name no day have none to be the newest of.
   */
  async list(query: LatestQuery): Promise<RecordRead[]> {
    const [day, provider] = query.after ?? ['', ''];
    const chosen = summaryFilter(query, 's');
    const newer = summaryFilter(query, 'n');
    const rows = await this.reader.rows<SummaryRow>(
      `SELECT ${summaryFields} FROM summaries s JOIN observations o ON o.id = s.observation_id
       WHERE s.account_id = ? AND s.resource = ? AND s.calendar_date >= ?
        AND (s.calendar_date > ? OR s.provider > ?) ${chosen.and}
        AND NOT EXISTS (
          SELECT 1 FROM summaries n
          WHERE n.account_id = s.account_id AND n.resource = s.resource AND n.calendar_date = s.calendar_date
            AND n.provider = s.provider
            AND (n.version, n.observation_id, n.summary_id) > (s.version, s.observation_id, s.summary_id) ${newer.and})
       ORDER BY s.calendar_date, s.provider LIMIT ?`,
      [
        ...[query.account, query.resource.name, day, day, provider],
        ...[...chosen.values, ...newer.values, query.limit],
      ],
    );
    return mapInTurns(rows, toSummaryRead);
  }
}
