import type { SearchHitDto } from './api.js';

export interface Place {
  readonly href: string;
  readonly name: string;
}

const paths: Readonly<Record<string, string>> = {
  account: '/accounts/',
  order: '/orders/',
  order_transaction: '/orders/',
  message: '/messages/',
};

/** The pages of what a search found. A kind that this page does not know leads to the account it belongs to. */
export function placesOf(hits: readonly SearchHitDto[]): Place[] {
  return hits.flatMap(({ kind, id, account_id }) => {
    const path = paths[kind];
    const owner = account_id === null || kind === 'account' ? '' : ` · ${account_id}`;
    const name = `${kind.replaceAll('_', ' ')} ${id}${owner}`;
    if (path !== undefined) return [{ href: `${path}${encodeURIComponent(id)}`, name }];
    return account_id === null ? [] : [{ href: `/accounts/${encodeURIComponent(account_id)}`, name }];
  });
}
