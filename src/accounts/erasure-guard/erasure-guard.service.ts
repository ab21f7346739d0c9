import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import type { AccountId } from '../../platform/platform/ids.js';
import { storageUnavailable } from '../../storage/database/dialect.js';
import type { Tx } from '../../storage/database/tx.js';
import { ErasureGuardRepository } from './erasure-guard.repository.js';
import { ErasureGuardTelemetry, type SuppressedSource } from './erasure-guard.telemetry.js';

export interface Tombstone {
  readonly id: string;
  /** `accounts.id` of the account there was. */
  readonly accountId: AccountId;
  readonly erasureId: string;
  readonly now: number;
}

/** An account as it was looked up: its number, and the customer's id of it. */
export interface KnownAccount {
  readonly id: number;
  readonly account_id: string;
}

/**
 * Keeps what belongs to an erased person out, from the transaction on in which the erasure was asked for. An account
 * that is being erased is closed to writing, and its upstream user is known from then on by a digest of its id: nothing
 * that names the user is stored, and it is never mapped to an account again.
 */
@Injectable()
export class ErasureGuard {
  /** True if the database files may contain deleted bytes of an erased person. Unknown at the start. */
  private isScrubDue = true;

  constructor(
    private readonly repository: ErasureGuardRepository,
    private readonly telemetry: ErasureGuardTelemetry,
  ) {}

  /**
   * Remembers an id of upstream as an erased person's: of the user, or of an order. Comes with the transaction that
   * closes the account.
   */
  async addTombstone(tx: Tx, { id, accountId, erasureId, now }: Tombstone): Promise<void> {
    const tombstone = { digest: digestOf(id), erasure_id: erasureId, account_ref: accountId, erased_at: now };
    await this.repository.insert(tx, tombstone);
  }

  /** Tombstones for an erased person without an account here. */
  async addDigests(tx: Tx, digests: readonly string[], erasureId: string, now: number): Promise<void> {
    for (const digest of digests) {
      await this.repository.insert(tx, { digest, erasure_id: erasureId, account_ref: NO_ACCOUNT, erased_at: now });
    }
  }

  /** Ids of the erasures with tombstones. */
  erasures(): Promise<ReadonlySet<string>> {
    return this.repository.erasures();
  }

  /**
   * Throws `account_erased` unless the account is there and open; it then stays so until the transaction ends. Call it
   * before writing data about a person that was read or received outside this transaction.
   */
  async assertWritable(tx: Tx, accountId: number): Promise<void> {
    if (!(await this.isWritable(tx, accountId))) throw erasedError();
  }

  /**
   * The same for accounts that were looked up before this transaction and that no lease vouches for: throws
   * `storage_unavailable` where the number of one is another's, because the database went back in time.
   */
  async assertStillWritable(tx: Tx, accounts: readonly KnownAccount[]): Promise<void> {
    const found = await this.repository.accounts(
      tx,
      accounts.map(({ id }) => id),
    );
    for (const { id, account_id } of accounts) {
      const now = found.get(id);
      if (now === undefined || now.status === 'erasing') throw erasedError();
      if (now.account_id === account_id) continue;
      throw storageUnavailable(new Error('the number of an account is that of another'));
    }
  }

  /** As `assertWritable`, for those who go on without the account. */
  async isWritable(tx: Tx, accountId: number): Promise<boolean> {
    const found = (await this.repository.accounts(tx, [accountId])).get(accountId);
    return found !== undefined && found.status !== 'erasing';
  }

  /** Those of the accounts (`accounts.id`) that are there and open; they stay so until the transaction ends. */
  async writableAmong(tx: Tx, accountIds: readonly number[]): Promise<ReadonlySet<number>> {
    if (accountIds.length === 0) return new Set();
    const found = await this.repository.accounts(tx, accountIds);
    return new Set([...found].flatMap(([id, { status }]) => (status === 'erasing' ? [] : [id])));
  }

  /** True for a user that was erased or is being erased. */
  isErased(userId: string, tx?: Tx): Promise<boolean> {
    return this.repository.isErased(digestOf(userId), tx);
  }

  /** The first of these ids that was a user of an erased person, or something that upstream kept for one. */
  async firstErased(ids: readonly string[]): Promise<string | null> {
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const byDigest = new Map(ids.slice(from, from + IDS_AT_ONCE).map((id) => [digestOf(id), id]));
      const [digest] = await this.repository.among([...byDigest.keys()]);
      if (digest !== undefined) return byDigest.get(digest) ?? null;
    }
    return null;
  }

  /** True, and counted with the transaction, when what came with this user must not be stored. */
  async countIfErased(tx: Tx, userId: string): Promise<boolean> {
    const isErased = (await this.repository.countUsers(tx, [digestOf(userId)])).length > 0;
    if (isErased) this.isScrubDue = true;
    return isErased;
  }

  /** Leaves out those who were erased, and counts them with the transaction. */
  async withoutErased<T>(tx: Tx, people: readonly T[], userIdOf: (one: T) => string): Promise<T[]> {
    const digests = people.map((one) => digestOf(userIdOf(one)));
    const erased = new Set(await this.repository.countUsers(tx, [...new Set(digests)]));
    return people.filter((_, index) => !erased.has(digests[index] as string));
  }

  /** Counts something of an erased account (`accounts.id`) that came too late. */
  async countSuppressed(tx: Tx, accountId: number): Promise<void> {
    this.isScrubDue = true;
    await this.repository.countAccount(tx, accountId);
  }

  /** Data stored before its owner was known was deleted again. */
  requestScrub(): void {
    this.isScrubDue = true;
  }

  /** True if the database files must be scrubbed of refused data; reading it resets it. */
  takeScrub(): boolean {
    const isDue = this.isScrubDue;
    this.isScrubDue = false;
    return isDue;
  }

  /** Reports that something was suppressed, once that is committed. */
  reportSuppressed(source: SuppressedSource): void {
    this.telemetry.suppressed(source);
  }

  /** Digests of the users and orders of an erasure. */
  async digestsOf(erasureId: string): Promise<string[]> {
    return (await this.repository.ofErasures([erasureId])).map(({ digest }) => digest);
  }

  /** For each erasure, how much of its person came since and was not stored. */
  async suppressedBy(erasureIds: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>(erasureIds.map((id) => [id, 0]));
    if (erasureIds.length === 0) return counts;
    for (const { erasure_id, turned_away } of await this.repository.ofErasures(erasureIds)) {
      counts.set(erasure_id, (counts.get(erasure_id) ?? 0) + turned_away);
    }
    return counts;
  }
}

const IDS_AT_ONCE = 500;

/** No account has this number, so nothing is written for it. */
export const NO_ACCOUNT = 0;

/** Digest of an id of upstream that names an erased person: SHA-256 in hex, over the id in lower case. */
export function digestOf(id: string): string {
  return createHash('sha256').update(id.toLowerCase()).digest('hex');
}

export function erasedError(): AppError {
  return new AppError('account_erased', 'The account is being erased or was erased.');
}

/** True for the refusal of {@link ErasureGuard.assertWritable}. */
export function isErasedError(error: unknown): boolean {
  return error instanceof AppError && error.code === 'account_erased';
}
