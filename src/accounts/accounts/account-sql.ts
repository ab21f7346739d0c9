/*
 * The only way for other rooms to join the accounts table: to show the customer's id beside `accounts.id`, or to find
 * one by the other. `column` is the expression for `accounts.id` in the surrounding statement.
 */

/** The customer's id, in a statement with one of these joins. */
export const externalIdColumn = 'accounts.account_id';

/** A JOIN for rows that always have an account. */
export function joinAccount(column: string): string {
  return `JOIN accounts ON accounts.id = ${column}`;
}

/** A LEFT JOIN for rows that may have none. */
export function joinAccountIfAny(column: string): string {
  return `LEFT JOIN accounts ON accounts.id = ${column}`;
}

/** The customer's id as a subquery; null for rows without an account. */
export function externalIdOf(column: string): string {
  return `(SELECT accounts.account_id FROM accounts WHERE accounts.id = ${column})`;
}

/** `accounts.id` for the customer's id passed as `?`; null if there is no such account. */
export const accountIdOfExternalId = '(SELECT accounts.id FROM accounts WHERE accounts.account_id = ?)';

/** A JOIN for what is shown to analysts: nothing about an account that is being erased. */
export function joinShownAccount(column: string): string {
  return `JOIN accounts ON accounts.id = ${column} AND accounts.status <> 'erasing'`;
}

/** People of whom analysts see nothing. */
export const erasingAccounts = `SELECT id FROM accounts WHERE status = 'erasing'`;

/** People who had another upstream user before. */
export const relinkedAccounts = 'SELECT id FROM accounts WHERE relinked_at IS NOT NULL';

/** When the present upstream user of the joined account replaced another one; null if it had no other one. */
export const relinkedAtColumn = 'accounts.relinked_at';

/** FROM and WHERE for accounts that can be pulled: upstream has their user, and they are not being erased. */
export const fromPullableAccounts = `FROM accounts WHERE accounts.upstream_user_id IS NOT NULL
  AND accounts.user_gone_at IS NULL AND accounts.status <> 'erasing'`;
