import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { decodeCursor, invalidCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { type TimelineEntry, type TimelineKind, timelineKinds } from '../../storage/declarations/timeline.js';
import { type Place, type PlacedEntry, TimelineReader } from './timeline.reader.js';

export interface TimelineQuery {
  /** Every kind when left out. */
  readonly kinds?: readonly TimelineKind[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Everything that happened to an account. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: TimelineReader,
  ) {}

  /**
   * Newest first. What is stored while somebody pages stands where its time puts it: an entry is never shown twice, and
   * none that was there before is left out. Throws `not_found`.
   */
  async list(
    accountId: string,
    { cursor, kinds = timelineKinds, limit, ...range }: TimelineQuery,
  ): Promise<Page<TimelineEntry>> {
    const { id: account } = await this.accounts.get(accountId);
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const entries = await this.reader.page({ account, kinds, ...range, after, limit: limit + 1 });
    return pageOf<PlacedEntry>(entries, limit, ({ at, kind, keys }) => [at, kind, ...keys]);
  }
}

function placeOf(cursor: string): Place {
  const [at, kind, ...keys] = decodeCursor(cursor, ['number', 'string', 'string', 'string']);
  const known = timelineKinds.find((name) => name === kind);
  if (known === undefined) throw invalidCursor();
  return { at, kind: known, keys };
}
