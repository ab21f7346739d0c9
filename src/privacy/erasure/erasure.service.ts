import { Injectable } from '@nestjs/common';
import { AccountsService, upstreamNames } from '../../accounts/accounts/accounts.service.js';
import { ErasureFences, type Fence } from '../../accounts/erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasuresRepository } from './erasures.repository.js';

/** A receipt with the number of later items about the person that were not stored. */
export type ErasureRow = ErasureEntity & { readonly turned_away: number };

/** Requests erasures and reports their progress. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
    private readonly erasures: ErasuresRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly telemetry: ErasureTelemetry,
  ) {}

  /**
   * From now on no data of the person is stored and no token issued; the worker does the rest. Returns the same
   * erasure if called again while the account still exists. Throws `not_found`.
   */
  async request(externalId: string, requestedBy: string): Promise<ErasureRow> {
    const account = await this.accounts.get(externalId);
    const { id: accountId, upstream_user_id: userId } = account;
    const erasure = { id: newId(), account_ref: accountId, requested_at: this.clock.now(), requested_by: requestedBy };
    const id = await this.lane.run(async (tx) => {
      const stored = await this.erasures.idOfAccount(tx, accountId);
      if (stored !== null) return stored;
      if (!(await this.accounts.close(tx, accountId, erasure.requested_at))) {
        return this.erasures.idOfAccount(tx, accountId);
      }
      const users = [...(userId === null ? [] : [userId]), ...(await this.accounts.formerUsers(tx, accountId))];
      for (const user of users) {
        await this.guard.addTombstone(tx, {
          userId: user,
          accountId,
          erasureId: erasure.id,
          now: erasure.requested_at,
        });
      }
      await this.fences.add(tx, upstreamNames(account), erasure.id, erasure.requested_at);
      await this.erasures.insert(tx, erasure);
      return erasure.id;
    });
    if (id === null) throw new AppError('not_found', 'There is no such account.');
    if (id === erasure.id) this.telemetry.requested(erasure);
    return this.get(id);
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<ErasureRow> {
    const erasure = await this.erasures.find(id.toLowerCase());
    if (!erasure) throw new AppError('not_found', 'There is no such erasure.');
    const [row] = await this.withSuppressed([erasure]);
    return row as ErasureRow;
  }

  /** The fence that keeps a customer's id from being an account again. Throws `not_found`. */
  fenceOf(externalId: string): Promise<Fence> {
    return this.fences.get(externalId);
  }

  /** From now on the customer's id of the erased person can be used for a new person. Throws `not_found`. */
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
