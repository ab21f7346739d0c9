/*
 * Other rooms' tables hold `accounts.id`, and answers name the customer's own id of the account. This is the one way in
 * which their SQL gets at it; anything else about an account is asked from AccountsService.
 */

/** Joins the account that a row of `alias` belongs to by its `account_id`; the row stays without one. */
export function joinAccount(alias: string): string {
  return `LEFT JOIN accounts a ON a.id = ${alias}.account_id`;
}

/** The customer's own id of the joined account; null without one. */
export const externalAccountId = 'a.account_id';
