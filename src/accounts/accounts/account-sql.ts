/*
 * The only way in which other rooms join to the accounts table: to show the customer's own id beside `accounts.id`, or
 * to find the one by the other. `column` is what holds `accounts.id` in the statement around it.
 */

/** The customer's id, in a statement with one of the joins. */
export const externalIdColumn = 'accounts.account_id';

/** A JOIN for rows that always have an account. */
export function joinAccount(column: string): string {
  return `JOIN accounts ON accounts.id = ${column}`;
}

/** A LEFT JOIN for rows that may have none. */
export function joinAccountIfAny(column: string): string {
  return `LEFT JOIN accounts ON accounts.id = ${column}`;
}

/** The customer's id as a value of its own; null for rows without an account. */
export function externalIdOf(column: string): string {
  return `(SELECT accounts.account_id FROM accounts WHERE accounts.id = ${column})`;
}

/** `accounts.id` of the customer's id that is given for its `?`; null when there is no such account. */
export const accountIdOfExternalId = '(SELECT accounts.id FROM accounts WHERE accounts.account_id = ?)';

/** FROM and WHERE of the accounts that can be pulled: upstream has their user, and they are not being erased. */
export const fromPullableAccounts = `FROM accounts WHERE accounts.upstream_user_id IS NOT NULL
  AND accounts.user_gone_at IS NULL AND accounts.status <> 'erasing'`;
