import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { type AccountId, isExternalAccountId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { type CallOptions, interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { erasedError } from '../erasure-guard/open-accounts.js';
import { type AccountEntity, keptValues, type UserSettings } from './account.entity.js';
import { AccountMapping, type ActiveAccount, idNotAllowed } from './account-mapping.js';
import { type AccountOwner, AccountsRepository, type FormerZone } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { clearedSources, followed, setHere } from './fallbacks.js';
import { type AccountFilter, ListedAccounts } from './listed-accounts.repository.js';
import { Relinking } from './relinking.service.js';
import { SourcePolls } from './source-polls.repository.js';
import { UpstreamUsers } from './upstream-users.js';

export type { AccountOwner } from './accounts.repository.js';
export type { SourcePollRow } from './source-polls.repository.js';

/** Codes of the errors that `AccountsService.ensure` throws, other than upstream's. */
export const ensureProblems = [
  'account_id_not_allowed',
  'account_blocked',
  'account_erased',
  'conflict',
  'upstream_user_limit',
] as const;

/** A row of accounts: `id` is our number, `account_id` the customer's id. */
export type Account = AccountEntity;

type Settings = Partial<UserSettings>;

export interface AccountQuery extends AccountFilter {
  /** Part of the account id in either case, or the complete upstream user id, pseudonym or log reference. */
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Manages accounts and their upstream users. An `externalId` is the customer's id of an account, an `id` is our number.
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly lane: WriteLane,
    private readonly accounts: AccountsRepository,
    private readonly mapping: AccountMapping,
    private readonly users: UpstreamUsers,
    private readonly clock: Clock,
    private readonly telemetry: AccountsTelemetry,
    private readonly listed: ListedAccounts,
    /** When to poll the sources of each account next. */
    readonly polls: SourcePolls,
    private readonly relinking: Relinking,
  ) {}

  /**
   * Returns the active account with this id; creates it on first use. Throws `account_id_not_allowed` (only for a new
   * account), `account_blocked`, `account_erased`, `upstream_user_limit`, `conflict` or `UpstreamError`.
   */
  async ensure(externalId: string, options: CallOptions): Promise<ActiveAccount> {
    return (await this.mapping.ensure(externalId, {}, options)).account;
  }

  /** Like `ensure`, but also returns a blocked account, because its person may still read what is stored. */
  async ensureReadable(externalId: string, options: CallOptions): Promise<Account> {
    const known = await this.find(externalId);
    return known?.status === 'active' || known?.status === 'blocked' ? known : this.ensure(externalId, options);
  }

  /**
   * Like `ensure`, and applies the given settings upstream and here. For an existing account, it also checks whether
   * upstream still has the user.
   */
  async create(externalId: string, wanted: Settings, options: CallOptions): Promise<Account> {
    const settings = givenOf(wanted);
    assertRange(settings);
    const { account, created } = await this.mapping.ensure(externalId, settings, options);
    if (created) return this.withFallbacks(account, settings);
    const current = await this.withUser(account, options);
    return Object.keys(settings).length === 0 ? current : this.patch(externalId, settings, options);
  }

  find(externalId: string): Promise<Account | null> {
    return this.accounts.find(externalId);
  }

  /** Finds an account by upstream's `client_user_id`. */
  findByUpstreamName(name: string): Promise<Account | null> {
    return this.accounts.findByUpstreamName(name);
  }

  /** Throws `not_found`. */
  async get(externalId: string): Promise<Account> {
    const account = await this.find(externalId);
    if (!account) throw notFound();
    return account;
  }

  /** Number of accounts that can be pulled, and the highest `accounts.id` of them; 0 if there are none. */
  countPullable(): Promise<{ accounts: number; lastAccount: number }> {
    return this.accounts.countPullable();
  }

  /** Accounts that can be pulled, from `after` (exclusive) to `last` (inclusive), in order of creation. */
  listPullable(tx: Tx, range: { after: number; last: number; limit: number }): Promise<number[]> {
    return this.accounts.listPullable(tx, range);
  }

  findById(id: number, source?: Queryable): Promise<Account | null> {
    return this.accounts.findById(id, source);
  }

  findByUpstreamUser(userId: string): Promise<Account | null> {
    return this.accounts.findByUpstreamUser(userId.toLowerCase());
  }

  /** Owners of upstream users, by user id in lower case; `userIds` may be in either case. */
  ownersOf(userIds: readonly string[]): Promise<ReadonlyMap<string, AccountOwner>> {
    return this.accounts.ownersOf(userIds.map((id) => id.toLowerCase()));
  }

  /**
   * Returns the account of an upstream user. If it is not mapped yet, maps it, and requests a poll of its sources.
   * Accepts ids that look personal, because upstream has them anyway. Throws `conflict` if either side is mapped to
   * another, `account_id_not_allowed` for an id that cannot be stored, and `account_erased` for an erased user.
   */
  async adopt(user: WireUser): Promise<Account> {
    if (!isExternalAccountId(user.client_user_id)) {
      throw idNotAllowed('The client id of the upstream user is not a valid account id.');
    }
    return this.mapping.link(user, 'adopted');
  }

  /** The account of an upstream user; adopts the user if necessary. Null if upstream does not have the user either. */
  async adoptByUpstreamUser(userId: string, options: CallOptions): Promise<Account | null> {
    const known = await this.findByUpstreamUser(userId);
    if (known) return known;
    const user = await this.users.find(userId, options);
    return user && this.adopt(user);
  }

  /**
   * Changes the settings upstream, then here. Throws `not_found`, `account_erased`, `invalid_request`, `conflict` or
   * `UpstreamError`.
   */
  async patch(externalId: string, wanted: Settings, options: CallOptions): Promise<Account> {
    const settings = givenOf(wanted);
    if (Object.keys(settings).length === 0) throw new AppError('invalid_request', 'At least one field is required.');
    const account = await this.get(externalId);
    if (account.status === 'erasing') throw erasedError();
    assertRange({ ...account, ...settings });
    await this.callFor(account, (userId) => this.users.patch(userId, settings, options));
    const patched = await this.lane.run(async (tx) => {
      await tx.lock('account', account.id);
      const stored = await this.accounts.findById(account.id, tx);
      if (stored === null || stored.status === 'erasing') throw erasedError();
      const kept = { ...stored, ...settings, ...clearedSources(settings), ...setHere(settings, tx.now) };
      await this.accounts.storeKept(tx, account.id, kept, tx.now);
      return this.accounts.get(tx, account.id);
    });
    this.telemetry.noted('patched', account.id);
    return patched;
  }

  /** Takes over what upstream says of these accounts' users now (fallbacks.ts). Ignores users of other accounts. */
  async follow(tx: Tx, users: readonly WireUser[], accounts: readonly Account[]): Promise<void> {
    const byUser = new Map(users.map((user) => [user.user_id.toLowerCase(), user]));
    const changed = accounts.flatMap((account) => {
      const user = byUser.get(account.upstream_user_id ?? '');
      const kept = user && followed(account, user);
      return !kept || isDeepStrictEqual(keptValues(account), keptValues(kept)) ? [] : [{ ...account, ...kept }];
    });
    if (changed.length > 0) await tx.lock('account', ...changed.map(({ id }) => id));
    for (const account of changed) await this.accounts.storeKept(tx, account.id, account, tx.now);
  }

  /** The zones of an account that it had before its present one, in order of time. */
  formerZones(id: number, source?: Queryable): Promise<FormerZone[]> {
    return this.accounts.formerZones(id, source);
  }

  /**
   * Runs an upstream call for the account's user. Throws `conflict` if the account has no user, or if upstream responds
   * that it no longer has it.
   */
  async callFor<T>(account: Account, call: (userId: string) => Promise<T>): Promise<T> {
    if (account.upstream_user_id === null) throw new AppError('conflict', 'The account has no upstream user yet.');
    try {
      const answer = await call(account.upstream_user_id);
      if (account.user_gone_at !== null) await this.relinking.returned(account.id, account.upstream_user_id);
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamError && error.isNotFound)) throw error;
      this.telemetry.noted('user_unknown', account.id);
      await this.relinking.isGone(account, interactive);
      throw new AppError('conflict', 'Upstream no longer has the user of this account: relink it.', { cause: error });
    }
  }

  /** Maps an account to a new upstream user if its own is gone. Throws `not_found`, and like `Relinking.relink`. */
  async relink(externalId: string): Promise<Account> {
    return this.relinking.relink(await this.get(externalId), interactive);
  }

  /** Checks whether upstream still has the account's user, and stores the result. True if the user is gone. */
  confirmGone(account: Account, options: CallOptions): Promise<boolean> {
    return this.relinking.confirmGone(account, options);
  }

  /** Upstream users that the account had before its current one. */
  formerUsers(tx: Tx, id: AccountId): Promise<string[]> {
    return this.accounts.formerUsers(tx, id);
  }

  private async withFallbacks(account: Account, settings: Settings): Promise<Account> {
    const set = setHere(settings, this.clock.now());
    if (Object.keys(set).length === 0) return account;
    const { fallback_time_zone_set_at, fallback_birth_date_set_at } = { ...account, ...set };
    const fallbacks = { fallback_time_zone_set_at, fallback_birth_date_set_at };
    await this.lane.run((tx) => this.accounts.storeFallbacks(tx, account.id, fallbacks));
    return { ...account, ...fallbacks };
  }

  private async withUser(account: Account, options: CallOptions): Promise<Account> {
    return (await this.relinking.isGone(account, options)) ? this.get(account.account_id) : account;
  }

  /** At most `count` active accounts (`accounts.id`), spread evenly over all. */
  spread(count: number): Promise<number[]> {
    return this.listed.spread(count);
  }

  /** In order of creation; with `q`, in order of account id. */
  async list({ q, cursor, ...filter }: AccountQuery): Promise<Page<Account>> {
    const { limit } = filter;
    const oneMore = { ...filter, limit: limit + 1 };
    if (q === undefined) {
      const [afterId] = cursor === undefined ? [0] : decodeCursor(cursor, ['number']);
      return pageOf(await this.listed.inOrder(oneMore, afterId), limit, ({ id }) => [id]);
    }
    const [afterId] = cursor === undefined ? [''] : decodeCursor(cursor, ['string']);
    return pageOf(await this.listed.find(q, oneMore, afterId), limit, ({ account_id }) => [account_id]);
  }

  /**
   * Stops issuing tokens to one account. The person may still read stored data, and data from connected sources is
   * still accepted. Throws `not_found`, and `account_erased` for an account that is being erased.
   */
  block(externalId: string): Promise<Account> {
    return this.setBlocked(externalId, 'blocked');
  }

  /** Does nothing if the account is not blocked. Throws like `block`. */
  unblock(externalId: string): Promise<Account> {
    return this.setBlocked(externalId, 'unblocked');
  }

  /** Closes an account to all writes, for erasure. False if it no longer exists or was already closed. */
  close(tx: Tx, id: AccountId, now: number): Promise<boolean> {
    return this.accounts.close(tx, id, now);
  }

  /** Clears everything of an account that is being erased but its ids, its pseudonym and its status. */
  anonymize(tx: Tx, id: AccountId, now: number): Promise<void> {
    return this.accounts.anonymize(tx, id, now);
  }

  /** Stores the user of an account that is being erased, so that it can be deleted upstream. */
  keepUpstreamUser(tx: Tx, id: AccountId, userId: string): Promise<void> {
    return this.accounts.keepUpstreamUser(tx, id, userId);
  }

  private async setBlocked(externalId: string, wanted: 'blocked' | 'unblocked'): Promise<Account> {
    const { id } = await this.get(externalId);
    const { changed, account } = await this.lane.run(async (tx) => {
      const changed = await this.accounts[wanted === 'blocked' ? 'block' : 'unblock'](tx, id, tx.now);
      return { changed, account: await this.accounts.findById(id, tx) };
    });
    if (account === null) throw notFound();
    if (account.status === 'erasing') throw erasedError();
    if (changed) this.telemetry.noted(wanted, account.id);
    return account;
  }
}

/** Drops undefined settings, which mean unchanged; null clears a setting. */
function givenOf(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such account.');
}

/** Compares dates as text, which works for `YYYY-MM-DD`. */
function assertRange({ ingestion_start: start, ingestion_end: end }: Settings): void {
  if (!start || !end || start <= end) return;
  const message = 'ingestion_end must not be before ingestion_start';
  throw new AppError('invalid_request', 'The ingestion range ends before it starts.', {
    fields: [{ field: 'ingestion_end', message }],
  });
}
