import { Injectable } from '@nestjs/common';
import type { AccountId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { ErasureFences } from './erasure-fences.service.js';
import { ErasureGuardRepository } from './erasure-guard.repository.js';
import { ErasureGuardTelemetry, type SuppressedSource } from './erasure-guard.telemetry.js';
import { digestOf } from './open-accounts.js';
import { MAX_IDS_A_STATEMENT } from './tuning.js';

export interface Tombstone {
  readonly id: string;
  /** `accounts.id` of the erased account. */
  readonly accountId: AccountId;
  readonly erasureId: string;
  readonly now: number;
}

/** A person, by upstream's id, the customer's id, or both. */
export interface PersonIds {
  readonly userId: string | null;
  readonly clientUserId: string | null;
}

/**
 * Keeps out data of an erased person, beginning with the transaction that stores the erasure. It closes the account to
 * writes and stores a digest of the upstream user's id. From then on, nothing that names the user is stored, and the
 * user is never mapped to an account again.
 */
@Injectable()
export class ErasureGuard {
  /** True if the database files may contain deleted bytes of an erased person. Unknown at the start, so true. */
  private isScrubDue = true;

  constructor(
    private readonly repository: ErasureGuardRepository,
    private readonly fences: ErasureFences,
    private readonly telemetry: ErasureGuardTelemetry,
  ) {}

  /**
   * Stores a tombstone for an upstream id of an erased person: that of the user or of an order. Usually called in the
   * transaction that closes the account.
   */
  async addTombstone(tx: Tx, { id, accountId, erasureId, now }: Tombstone): Promise<void> {
    const tombstone = { digest: digestOf(id), erasure_id: erasureId, account_ref: accountId, erased_at: now };
    await this.repository.insert(tx, tombstone);
  }

  /** Stores tombstones of an erased person without an account here. */
  async addDigests(tx: Tx, digests: readonly string[], erasureId: string, now: number): Promise<void> {
    for (const digest of digests) {
      await this.repository.insert(tx, { digest, erasure_id: erasureId, account_ref: NO_ACCOUNT, erased_at: now });
    }
  }

  /** Ids of the erasures with tombstones. */
  erasures(): Promise<ReadonlySet<string>> {
    return this.repository.erasures();
  }

  /** True if upstream's user was erased or is being erased, or the customer's id is fenced. */
  async isErased({ userId, clientUserId }: PersonIds): Promise<boolean> {
    if (userId !== null && (await this.repository.isErased(digestOf(userId)))) return true;
    return clientUserId !== null && this.fences.holds(clientUserId);
  }

  /** One of these ids that is of an erased person or of their order; null if there is none. */
  async firstErased(ids: readonly string[], clientUserIds: readonly string[]): Promise<PersonIds | null> {
    const userId = await this.firstTombstone(ids);
    if (userId !== null) return { userId, clientUserId: null };
    const [clientUserId] = await this.fences.among(clientUserIds);
    return clientUserId === undefined ? null : { userId: null, clientUserId };
  }

  private async firstTombstone(ids: readonly string[]): Promise<string | null> {
    for (let from = 0; from < ids.length; from += MAX_IDS_A_STATEMENT) {
      const byDigest = new Map(ids.slice(from, from + MAX_IDS_A_STATEMENT).map((id) => [digestOf(id), id]));
      const [digest] = await this.repository.among([...byDigest.keys()]);
      if (digest !== undefined) return byDigest.get(digest) ?? null;
    }
    return null;
  }

  /** True if data of this user must not be stored. Counts the refusal within the transaction. */
  async countIfErased(tx: Tx, userId: string): Promise<boolean> {
    const isErased = (await this.repository.countUsers(tx, [digestOf(userId)])).length > 0;
    if (isErased) this.isScrubDue = true;
    return isErased;
  }

  /** Counts a refusal of data of an erased person within the transaction. */
  async countRefused(tx: Tx, { userId, clientUserId }: PersonIds): Promise<void> {
    const isCounted = userId !== null && (await this.countIfErased(tx, userId));
    if (!isCounted && clientUserId !== null) await this.fences.count(tx, [clientUserId]);
  }

  /** Filters out erased users, and counts the refusals within the transaction. */
  async withoutErased<T>(tx: Tx, people: readonly T[], userIdOf: (one: T) => string): Promise<T[]> {
    const digests = people.map((one) => digestOf(userIdOf(one)));
    const erased = new Set(await this.repository.countUsers(tx, [...new Set(digests)]));
    return people.filter((_, index) => !erased.has(digests[index] as string));
  }

  /** Counts a refusal of late data of an erased account (`accounts.id`). */
  async countSuppressed(tx: Tx, accountId: number): Promise<void> {
    this.isScrubDue = true;
    await this.repository.countAccount(tx, accountId);
  }

  /** Call after deleting data of an erased person that was stored before its owner was known. */
  requestScrub(): void {
    this.isScrubDue = true;
  }

  /** True if the database files must be scrubbed of refused data. Resets the flag. */
  takeScrub(): boolean {
    const isDue = this.isScrubDue;
    this.isScrubDue = false;
    return isDue;
  }

  /** Logs and counts a refusal. Call it after the commit. */
  reportSuppressed(source: SuppressedSource): void {
    this.telemetry.suppressed(source);
  }

  /** Digests of the tombstones of an erasure. */
  async digestsOf(erasureId: string): Promise<string[]> {
    return (await this.repository.ofErasures([erasureId])).map(({ digest }) => digest);
  }

  /** Number of refusals since each erasure. */
  async suppressedBy(erasureIds: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>(erasureIds.map((id) => [id, 0]));
    if (erasureIds.length === 0) return counts;
    for (const { erasure_id, turned_away } of await this.repository.ofErasures(erasureIds)) {
      counts.set(erasure_id, (counts.get(erasure_id) ?? 0) + turned_away);
    }
    return counts;
  }
}

/** A number that no account has. */
export const NO_ACCOUNT = 0;
