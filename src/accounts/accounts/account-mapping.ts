import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { isExternalAccountId, isPseudonym } from '../../platform/platform/ids.js';
import { looksPersonal } from '../../platform/platform/personal-text.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { ErasureFences } from '../erasure-guard/erasure-fences.service.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { erasedError, isErased, isErasedError } from '../erasure-guard/open-accounts.js';
import type { AccountEntity, UserSettings } from './account.entity.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { Pseudonyms, upstreamName } from './pseudonyms.js';
import { SourcePolls } from './source-polls.repository.js';
import { keptOf, UpstreamUsers } from './upstream-users.js';

/*
 * Mapping an account to its upstream user:
 *
 *   (no row) --stored--> pending --upstream creates or names the user--> active
 *   (no row) --upstream reports a user--> active
 *
 * A pending row is committed before the call to upstream, so that the next `ensure` or the worker can finish it after a
 * crash or a lost response. Repeating is safe, because upstream returns the user it created the first time. Callers in
 * one process share one attempt; racing processes get the same user. The mapping is written once: a second user for an
 * account, or a second account for a user, is a `conflict` and changes nothing.
 */

/** An account that is mapped and usable. */
export type ActiveAccount = AccountEntity & { status: 'active'; upstream_user_id: string };

export interface Ensured {
  readonly account: ActiveAccount;
  /** True if this attempt created the user, so that upstream has its settings. */
  readonly created: boolean;
}

/** A new user has no sources yet; the first poll finds connections without an event. */
const FIRST_POLL_MS = HOUR_MS;

@Injectable()
export class AccountMapping {
  private readonly attempts = new Map<string, Promise<Ensured>>();

  constructor(
    private readonly lane: WriteLane,
    private readonly accounts: AccountsRepository,
    private readonly users: UpstreamUsers,
    private readonly pseudonyms: Pseudonyms,
    private readonly polls: SourcePolls,
    private readonly guard: ErasureGuard,
    private readonly fences: ErasureFences,
    private readonly schema: SchemaService,
    private readonly telemetry: AccountsTelemetry,
  ) {}

  /** See `AccountsService.ensure`. The settings are used only if the user is created. */
  async ensure(externalId: string, settings: Partial<UserSettings>, options: CallOptions): Promise<Ensured> {
    const running = this.attempts.get(externalId);
    if (running) return { ...(await running), created: false };
    const attempt = this.attempt(externalId, settings, options).finally(() => this.attempts.delete(externalId));
    this.attempts.set(externalId, attempt);
    return attempt;
  }

  /**
   * Maps the account named by the upstream user; creates it if there is none. Throws like `AccountsService.adopt`.
   */
  async link(user: WireUser, outcome: 'created' | 'adopted'): Promise<AccountEntity> {
    const userId = user.user_id.toLowerCase();
    const [{ client_user_id: accountId } = user] = await this.pseudonyms.withAccountIds([user]);
    if (isPseudonym(accountId))
      throw idNotAllowed('The client id of the upstream user is a pseudonym of an unknown account.');
    const { account, linked } = await this.lane
      .run(async (tx) => {
        const { now } = tx;
        if (await isErased(tx, userId)) throw erasedError();
        if (await this.fences.holds(accountId, tx)) throw erasedError();
        const { id } = await this.accounts.insertPending(tx, accountId, now, null);
        const linked = await this.accounts.link(tx, id, { name: user.client_user_id, userId, kept: keptOf(user), now });
        const account = await this.accounts.get(tx, id);
        if (account.status === 'erasing') throw erasedError();
        if (account.upstream_user_id !== userId) throw otherMapping();
        if (linked && user.team_id) await this.schema.bindTeam(tx, user.team_id);
        if (linked) await this.polls.request(tx, id, outcome === 'created' ? now + FIRST_POLL_MS : now);
        return { account, linked };
      })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'conflict') this.telemetry.conflict();
        if (isErasedError(error)) this.guard.reportSuppressed('user');
        throw error;
      });
    if (linked) this.telemetry.linked(account.id, outcome);
    return account;
  }

  /**
   * Deletes a user that upstream created after the person's erasure had looked for one. If this deletion fails, the
   * check of that erasure finds the user.
   */
  async unmake(userId: string, account: AccountEntity, options: CallOptions): Promise<void> {
    const erasureId = await this.fences.erasureOf(account.account_id);
    if (erasureId === null) return;
    await this.lane.run((tx) => {
      return this.guard.addTombstone(tx, { id: userId, accountId: account.id, erasureId, now: tx.now });
    });
    await this.users.delete(userId, { ...options, priority: 'background' }).catch(() => undefined);
  }

  private async attempt(externalId: string, settings: Partial<UserSettings>, options: CallOptions): Promise<Ensured> {
    const account = (await this.accounts.find(externalId)) ?? (await this.insertPending(externalId));
    if (account.status !== 'pending') return { account: usable(account), created: false };
    const { user, created } = await this.users
      .createOrFind(upstreamName(account), settings, options)
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'upstream_user_limit') this.telemetry.refused('user_limit');
        throw error;
      });
    try {
      return { account: usable(await this.link(user, created ? 'created' : 'adopted')), created };
    } catch (error) {
      if (created && isErasedError(error)) await this.unmake(user.user_id, account, options);
      throw error;
    }
  }

  private async insertPending(externalId: string): Promise<AccountEntity> {
    if (!isExternalAccountId(externalId)) {
      throw idNotAllowed('The account id must be 1 to 255 characters without control characters, not "." or "..".');
    }
    if (isPseudonym(externalId)) throw idNotAllowed('The account id must not have the form of a pseudonym.');
    if (looksPersonal(externalId)) {
      this.telemetry.refused('personal_id');
      throw idNotAllowed('The account id must not be an e-mail address or a phone number.');
    }
    const account = await this.lane.run(async (tx) => {
      if (!(await this.fences.holds(externalId, tx))) {
        const pseudonym = this.pseudonyms.for(externalId);
        return this.accounts.insertPending(tx, externalId, tx.now, pseudonym);
      }
      await this.fences.count(tx, [externalId]);
      return null;
    });
    if (account) return account;
    this.guard.reportSuppressed('account');
    throw erasedError();
  }
}

export function idNotAllowed(message: string): AppError {
  return new AppError('account_id_not_allowed', message, { fields: [{ field: 'account_id', message }] });
}

function usable(account: AccountEntity): ActiveAccount {
  if (isActive(account)) return account;
  if (account.status === 'erasing') throw erasedError();
  throw new AppError('account_blocked', 'The account is blocked.');
}

function isActive(account: AccountEntity): account is ActiveAccount {
  return account.status === 'active' && account.upstream_user_id !== null;
}

export function otherMapping(): AppError {
  return new AppError('conflict', 'The account or the upstream user is already mapped.');
}
