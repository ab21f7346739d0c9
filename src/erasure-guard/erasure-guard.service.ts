import { Injectable } from '@nestjs/common';
import { AccountsTelemetry, type SuppressedSource } from '../accounts/accounts.telemetry.js';
import { Reader } from '../database/reader.js';
import type { Tx } from '../database/tx.js';
import { AppError } from '../platform/errors.js';
import { digestOf } from './digest.js';
import { ErasureGuardRepository } from './erasure-guard.repository.js';

/** An account (`accounts.id`) and its upstream user. */
export interface GuardedAccount {
  readonly ref: number;
  readonly userId: string | null;
}

/**
 * Keeps what belongs to an erased person out, from the transaction on in which the erasure was asked for. An account
 * that is being erased is closed to writing, and its upstream user is known for ever by a digest: nothing that names it
 * is stored, and it is never mapped to an account again.
 */
@Injectable()
export class ErasureGuard {
  constructor(
    private readonly fence: ErasureGuardRepository,
    private readonly reader: Reader,
    private readonly events: AccountsTelemetry,
  ) {}

  /**
   * Closes an account and fences its upstream user, if it has one. Waits for those who hold it open. False when it is
   * gone or was closed before.
   */
  async close(tx: Tx, account: GuardedAccount, erasure: { id: string; now: number }): Promise<boolean> {
    if (!(await this.fence.close(tx, account.ref, erasure.now))) return false;
    await this.guardUser(tx, account, erasure);
    return true;
  }

  /** Fences an upstream user that turns out to be the account's after it was closed. */
  async guardUser(tx: Tx, { ref, userId }: GuardedAccount, erasure: { id: string; now: number }): Promise<void> {
    if (userId === null) return;
    const user = { digest: digestOf(userId), erasure_id: erasure.id, account_ref: ref, erased_at: erasure.now };
    await this.fence.insert(tx, user);
  }

  /**
   * Throws `account_erased` unless the account is there and open; it then stays so until the transaction ends. Belongs
   * before every write about a person that something outside the transaction has led to.
   */
  async assertWritable(tx: Tx, account: number): Promise<void> {
    if (!(await this.isWritable(tx, account))) throw erasedError();
  }

  /** As `hold`, for those who go on without the account. */
  isWritable(tx: Tx, account: number): Promise<boolean> {
    return this.fence.isOpen(tx, account);
  }

  /** True for a user that was erased or is being erased. */
  isErased(userId: string): Promise<boolean> {
    return this.fence.isErased(this.reader, digestOf(userId));
  }

  /** True, and counted with the transaction, when what came with this user must not be stored. */
  countIfErased(tx: Tx, userId: string): Promise<boolean> {
    return this.fence.countUser(tx, digestOf(userId));
  }

  /** Leaves out those who were erased, and counts them with the transaction. */
  async withoutErased<T>(tx: Tx, people: readonly T[], userIdOf: (one: T) => string): Promise<T[]> {
    const digests = people.map((one) => digestOf(userIdOf(one)));
    const erased = new Set(await this.fence.countUsers(tx, [...new Set(digests)]));
    return people.filter((_, index) => !erased.has(digests[index] as string));
  }

  /** Counts something of an erased account (`accounts.id`) that came too late. */
  async countSuppressed(tx: Tx, account: number): Promise<void> {
    await this.fence.countAccount(tx, account);
  }

  /** Says that something was turned away, once that is committed. */
  reportSuppressed(source: SuppressedSource): void {
    this.events.fenced(source);
  }

  /** Digests of the users an erasure fenced, and how much of theirs was turned away since. */
  async ofErasure(erasureId: string): Promise<{ digests: string[]; turnedAway: number }> {
    const rows = await this.fence.ofErasure(this.reader, erasureId);
    return {
      digests: rows.map(({ digest }) => digest),
      turnedAway: rows.reduce((sum, row) => sum + row.turned_away, 0),
    };
  }
}

export function erasedError(): AppError {
  return new AppError('account_erased', 'The account is being erased, or its person was erased.');
}

/** True for the refusal of {@link ErasureGuard.assertWritable}. */
export function isErasedError(error: unknown): boolean {
  return error instanceof AppError && error.code === 'account_erased';
}
