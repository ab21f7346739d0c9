import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { decodeCursor, invalidCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { type TimelineEntry, timelineKinds } from '../../storage/declarations/timeline.js';
import type { TimelineListQuery } from './timeline.dto.js';
import { type Place, type PlacedEntry, TimelineReader } from './timeline.reader.js';

/** Everything that happened to an account. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: TimelineReader,
  ) {}

  /**
   * Newest first. An entry stored while a caller pages takes its place by time: no entry is returned twice, and no
   * older entry is skipped. Throws `not_found`.
   */
  async list(accountId: string, { cursor, kind, limit, start, end }: TimelineListQuery): Promise<Page<TimelineEntry>> {
    const { id: account } = await this.accounts.get(accountId);
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const wanted = new Set<string>(kind ?? timelineKinds);
    const kinds = timelineKinds.filter((known) => wanted.has(known));
    const entries = await this.reader.page({ account, kinds, start, end, after, limit: limit + 1 });
    return pageOf<PlacedEntry>(entries, limit, ({ at, kind, keys }) => [at, kind, ...keys]);
  }
}

function placeOf(cursor: string): Place {
  const [at, kind, ...keys] = decodeCursor(cursor, ['number', 'string', 'string', 'string']);
  const known = timelineKinds.find((name) => name === kind);
  if (known === undefined) throw invalidCursor();
  return { at, kind: known, keys };
}
