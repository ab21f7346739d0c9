import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { MAX_FOUND_A_READ } from '../alarms/tuning.js';
import type { SearchResultDto } from './search.dto.js';
import { type FoundId, SearchReader } from './search.reader.js';

const MAX_OF_A_KIND = 5;
/** An id as the console shows it, with its middle omitted: 7c2e91d4-03…205af. */
const shortened = /^(?<beginning>.{8,})(?:…|\.{3})(?<end>.+)$/u;

/** Finds the account, order, transaction or message that a pasted id belongs to. */
@Injectable()
export class SearchService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: SearchReader,
  ) {}

  async search(q: string): Promise<SearchResultDto> {
    const { beginning, end } = partsOf(q);
    const limit = end === '' ? MAX_OF_A_KIND : MAX_FOUND_A_READ;
    const [accounts, found] = await Promise.all([
      this.accounts.list({ q: beginning, limit }),
      this.reader.startingWith(beginning, limit),
    ]);
    const ids = ofEachKind(found.filter(({ id }) => id.endsWith(end)));
    const owners = ids.flatMap(({ account }) => (account === null ? [] : [account]));
    const names = await this.reader.namesOf([...new Set(owners)]);
    const nameOf = (account: number | null): string | null => (account === null ? null : (names.get(account) ?? null));
    return {
      data: [
        ...accounts.data
          .filter(({ account_id, upstream_user_id }) => [account_id, upstream_user_id].some((id) => id?.endsWith(end)))
          .slice(0, MAX_OF_A_KIND)
          .map(({ account_id: id }) => ({ kind: 'account', id, account_id: id })),
        ...ids.map(({ kind, id, account }) => ({ kind, id, account_id: nameOf(account) })),
      ],
      searched: ['account', ...this.reader.kinds],
    };
  }
}

function partsOf(q: string): { beginning: string; end: string } {
  // Upstream writes its UUIDs in lower case, but what people paste may not be.
  const text = /^[0-9a-f-]+(?:…|\.{3})?[0-9a-f-]*$/i.test(q) ? q.toLowerCase() : q;
  const { beginning = text, end = '' } = shortened.exec(text)?.groups ?? {};
  return { beginning, end };
}

function ofEachKind(found: readonly FoundId[]): FoundId[] {
  return [...groupedBy(found, ({ kind }) => kind).values()].flatMap((ids) => ids.slice(0, MAX_OF_A_KIND));
}
