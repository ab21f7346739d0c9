import { createHash } from 'node:crypto';
import { AppError } from '../../platform/platform/errors.js';
import { storageUnavailable } from '../../storage/database/dialect.js';
import type { Tx } from '../../storage/database/tx.js';
import { hasTombstone, lockedAccounts } from './erasure-guard.repository.js';

/*
 * Before a transaction writes data about a person that was read or received outside it, it asks here whether the
 * account is still open. The answer holds until the transaction ends: closing an account waits for it.
 */

/**
 * An account as it was looked up: `accounts.id`, the customer's id, and, if it was looked up by a former upstream user,
 * when another one replaced that.
 */
export interface KnownAccount {
  readonly id: number;
  readonly account_id: string;
  readonly replaced_at?: number | null;
}

/** True if the account (`accounts.id`) exists and is open. */
export async function isWritable(tx: Tx, accountId: number): Promise<boolean> {
  const found = (await lockedAccounts(tx, [accountId])).get(accountId);
  return found !== undefined && found.status !== 'erasing';
}

/** Throws `account_erased` unless the account exists and is open. */
export async function assertWritable(tx: Tx, accountId: number): Promise<void> {
  if (!(await isWritable(tx, accountId))) throw erasedError();
}

/**
 * The same for accounts that were looked up before this transaction, without the protection of a lease. Throws
 * `storage_unavailable` if a number now belongs to another account, because the database was restored since.
 */
export async function assertStillWritable(tx: Tx, accounts: readonly KnownAccount[]): Promise<void> {
  const found = await lockedAccounts(
    tx,
    accounts.map(({ id }) => id),
  );
  for (const { id, account_id } of accounts) {
    const now = found.get(id);
    if (now === undefined || now.status === 'erasing') throw erasedError();
    if (now.account_id === account_id) continue;
    throw storageUnavailable(new Error('the number of an account now belongs to another account'));
  }
}

/** The accounts (`accounts.id`) among these that exist and are open. */
export async function writableAmong(tx: Tx, accountIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const found = await lockedAccounts(tx, accountIds);
  return new Set([...found].flatMap(([id, { status }]) => (status === 'erasing' ? [] : [id])));
}

/** True if the upstream user was erased or is being erased. */
export function isErased(tx: Tx, userId: string): Promise<boolean> {
  return hasTombstone(tx, digestOf(userId));
}

/** Digest of an upstream id for a tombstone: SHA-256, in hex, of the id in lower case. */
export function digestOf(id: string): string {
  return createHash('sha256').update(id.toLowerCase()).digest('hex');
}

export function erasedError(): AppError {
  return new AppError('account_erased', 'The account is being erased or was erased.');
}

/** True for an error as thrown by {@link assertWritable}. */
export function isErasedError(error: unknown): boolean {
  return error instanceof AppError && error.code === 'account_erased';
}
