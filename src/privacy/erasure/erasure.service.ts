import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { upstreamNames } from '../../accounts/accounts/pseudonyms.js';
import { ErasureFences, type Fence } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { OrdersService } from '../../labs/orders/orders.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { orNotFound } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasureJournal } from './erasure-journal.service.js';
import { ErasuresRepository } from './erasures.repository.js';
import type { JournalEntry } from './journal-file.js';

/** A receipt with the number of later items about the person that were refused. */
export type ErasureRow = ErasureEntity & { readonly turned_away: number };

type NewErasure = Pick<ErasureEntity, 'id' | 'requested_at' | 'requested_by'>;

/** Requests erasures and reports their progress. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
    private readonly orders: OrdersService,
    private readonly erasures: ErasuresRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: ErasureTelemetry,
    private readonly journal: ErasureJournal,
  ) {}

  /**
   * Closes the account: from now on, no data of the person is stored and no token is issued. The worker does the rest.
   * Returns the same erasure if called again while the account still exists. The returned erasure is in the journal.
   * Throws `not_found`, and `storage_unavailable` if the journal cannot be written; the erasure then waits until it
   * can.
   */
  async request(externalId: string, requestedBy: string): Promise<ErasureRow> {
    const account = await this.accounts.get(externalId);
    const erasure = { id: newId(), requested_at: this.clock.now(), requested_by: requestedBy };
    const id = orNotFound(await this.store(account, erasure), 'There is no such account.');
    if (id === erasure.id) this.telemetry.requested(erasure);
    await this.journal.record(await this.get(id));
    return this.get(id);
  }

  /** Repeats an erasure that a restored database does not contain. */
  async repeat(account: Account, { erasure: id, at }: JournalEntry): Promise<void> {
    const isUsed = (await this.erasures.find(id)) !== null;
    const erasure = { id: isUsed ? newId() : id, requested_at: at, requested_by: 'journal' };
    if ((await this.store(account, erasure)) !== erasure.id) return;
    this.telemetry.repeated(erasure);
    await this.journal.record(await this.get(erasure.id));
  }

  /** Closes the account and returns the id of its erasure; null if the account no longer exists. */
  private store({ id: accountId }: Account, given: NewErasure): Promise<string | null> {
    return this.lane.run(async (tx) => {
      const stored = await this.erasures.idOfAccount(tx, accountId);
      if (stored !== null) return stored;
      if (!(await this.accounts.close(tx, accountId, given.requested_at))) {
        return this.erasures.idOfAccount(tx, accountId);
      }
      // Read it again now that it is closed, because it may have been mapped or given a pseudonym since the lookup.
      const account = orNotFound(await this.accounts.findById(accountId, tx), 'There is no such account.');
      const { upstream_user_id: userId } = account;
      const users = [...(userId === null ? [] : [userId]), ...(await this.accounts.formerUsers(tx, accountId))];
      const [erasureId, now] = [given.id, given.requested_at];
      const ids = [...users, ...(await this.orders.idsOf(tx, accountId))];
      for (const id of ids) await this.guard.addTombstone(tx, { id, accountId, erasureId, now });
      await this.fences.add(tx, upstreamNames(account), erasureId, now);
      await this.erasures.insert(tx, { ...given, account_ref: accountId });
      return erasureId;
    });
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<ErasureRow> {
    const erasure = orNotFound(await this.erasures.find(id.toLowerCase()), 'There is no such erasure.');
    const [row] = await this.withSuppressed([erasure]);
    return row as ErasureRow;
  }

  /** True if one of these erasures still has data to delete here. */
  anyHere(ids: readonly string[]): Promise<boolean> {
    return this.erasures.anyHere(ids);
  }

  /** The fence of a customer's id. Throws `not_found`. */
  fenceOf(externalId: string): Promise<Fence> {
    return this.fences.get(externalId);
  }

  /** Lifts the fence of an erasure, so that the customer's id can be used for a new person. Throws `not_found`. */
  async openFence(id: string): Promise<ErasureRow> {
    await this.fences.open(id.toLowerCase());
    return this.get(id);
  }

  /** Newest first. */
  async list({ cursor, limit }: { cursor?: string | undefined; limit: number }): Promise<Page<ErasureRow>> {
    const before = cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.erasures.page(before, limit + 1);
    return pageOf(await this.withSuppressed(rows), limit, ({ requested_at, id }) => [requested_at, id]);
  }

  private async withSuppressed(erasures: readonly ErasureEntity[]): Promise<ErasureRow[]> {
    const ids = erasures.map(({ id }) => id);
    const [byUser, byFence] = [await this.guard.suppressedBy(ids), await this.fences.turnedAway(ids)];
    return erasures.map((erasure) => ({
      ...erasure,
      turned_away: (byUser.get(erasure.id) ?? 0) + (byFence.get(erasure.id) ?? 0),
    }));
  }
}
