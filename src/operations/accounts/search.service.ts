import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import type { SearchResultDto } from './search.dto.js';
import { SearchReader } from './search.reader.js';

const MAX_OF_A_KIND = 5;

/** Finds the account, order, transaction or message that a pasted id belongs to. */
@Injectable()
export class SearchService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: SearchReader,
  ) {}

  async search(q: string): Promise<SearchResultDto> {
    // Upstream writes its UUIDs in lower case, but what people paste may not be.
    const text = /^[0-9a-f-]+$/i.test(q) ? q.toLowerCase() : q;
    const [accounts, ids] = await Promise.all([
      this.accounts.list({ q, limit: MAX_OF_A_KIND }),
      this.reader.startingWith(text, MAX_OF_A_KIND),
    ]);
    const owners = ids.flatMap(({ account }) => (account === null ? [] : [account]));
    const names = await this.reader.namesOf([...new Set(owners)]);
    const nameOf = (account: number | null): string | null => (account === null ? null : (names.get(account) ?? null));
    return {
      data: [
        ...accounts.data.map(({ account_id: id }) => ({ kind: 'account', id, account_id: id })),
        ...ids.map(({ kind, id, account }) => ({ kind, id, account_id: nameOf(account) })),
      ],
      searched: ['account', ...this.reader.kinds],
    };
  }
}
