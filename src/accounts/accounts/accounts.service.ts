import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { type AccountId, isExternalAccountId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { CallOptions } from '../../upstream/client/upstream.client.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { erasedError } from '../erasure-guard/erasure-guard.service.js';
import type { AccountEntity, UserFacts, UserSettings } from './account.entity.js';
import { AccountBatchesRepository } from './account-batches.repository.js';
import { AccountMapping, type ActiveAccount, idNotAllowed } from './account-mapping.js';
import { type AccountFilter, type AccountOwner, AccountsRepository } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { Pseudonyms } from './pseudonyms.js';
import { Relinking } from './relinking.service.js';
import { SourcePolls } from './source-polls.repository.js';
import { UpstreamUsers } from './upstream-users.js';

export { type ShownStatus, shownStatuses } from './account.entity.js';
export type { ActiveAccount } from './account-mapping.js';
export type { AccountOwner, SqlPart } from './accounts.repository.js';
export { upstreamName, upstreamNames } from './pseudonyms.js';
export type { SourcePollRow } from './source-polls.repository.js';

/** Codes of the errors that `AccountsService.ensure` throws besides those of upstream. */
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

export type AccountQuery = Omit<AccountFilter, 'afterId'> & { cursor?: string | undefined };

/**
 * Accounts and their upstream users. An `externalId` is the customer's id of an account, an `id` is our number of it.
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
    /** Batches of accounts, for imports. */
    readonly batches: AccountBatchesRepository,
    /** When to ask upstream next for the sources of an account. */
    readonly polls: SourcePolls,
    /** Accounts whose upstream user is gone. */
    readonly relinking: Relinking,
    /** Upstream's client user ids of accounts. */
    readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * The active account with this id, made on first use. Throws `account_id_not_allowed` (only for an account that does
   * not exist yet), `account_blocked`, `account_erased`, `upstream_user_limit`, `conflict` or `UpstreamError`.
   */
  async ensure(externalId: string, options: CallOptions): Promise<ActiveAccount> {
    return (await this.mapping.ensure(externalId, {}, options)).account;
  }

  /** As `ensure`, and an account that is blocked as it is: what is stored of a person stays theirs to read. */
  async ensureReadable(externalId: string, options: CallOptions): Promise<Account> {
    const known = await this.find(externalId);
    return known?.status === 'active' || known?.status === 'blocked' ? known : this.ensure(externalId, options);
  }

  /**
   * As `ensure`, and the settings given hold afterwards, upstream and here. For an existing account,
   * upstream is asked whether it still has the user.
   */
  async create(externalId: string, wanted: Settings, options: CallOptions): Promise<Account> {
    const settings = givenOf(wanted);
    assertRange(settings);
    const { account, created } = await this.mapping.ensure(externalId, settings, options);
    if (created) return account;
    const current = await this.withUser(account, options);
    return Object.keys(settings).length === 0 ? current : this.patch(externalId, settings, options);
  }

  find(externalId: string): Promise<Account | null> {
    return this.accounts.find(externalId);
  }

  /** By what upstream calls its user (`client_user_id`). */
  findByUpstreamName(name: string): Promise<Account | null> {
    return this.accounts.findByUpstreamName(name);
  }

  /** Throws `not_found`. */
  async get(externalId: string): Promise<Account> {
    const account = await this.find(externalId);
    if (!account) throw notFound();
    return account;
  }

  /** Number of accounts that can be pulled, and the newest of them; 0 without any. */
  countPullable(): Promise<{ accounts: number; lastAccount: number }> {
    return this.accounts.countPullable();
  }

  /** Accounts that can be pulled, `after` one up to and including `last`, in the order in which they were made. */
  listPullable(tx: Tx, range: { after: number; last: number; limit: number }): Promise<number[]> {
    return this.accounts.listPullable(tx, range);
  }

  findById(id: number, source?: Queryable): Promise<Account | null> {
    return this.accounts.findById(id, source);
  }

  findByUpstreamUser(userId: string): Promise<Account | null> {
    return this.accounts.findByUpstreamUser(userId.toLowerCase());
  }

  /** Owners of upstream users with ids in either case, by the id in lower case. */
  ownersOf(userIds: readonly string[]): Promise<ReadonlyMap<string, AccountOwner>> {
    return this.accounts.ownersOf(userIds.map((id) => id.toLowerCase()));
  }

  /**
   * The account of an upstream user, made or finished if need be; its sources are polled soon. Ids that look personal
   * are taken over, upstream has them anyway. Throws `conflict` when either side is mapped to another,
   * `account_id_not_allowed` for an id that cannot be stored, and `account_erased` for a user that was erased.
   */
  async adopt(user: WireUser): Promise<Account> {
    if (!isExternalAccountId(user.client_user_id)) {
      throw idNotAllowed('The client id of the upstream user is not a valid account id.');
    }
    return this.mapping.link(user, 'adopted');
  }

  /** The account of an upstream user id, adopted after asking upstream; null when upstream does not know it either. */
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
      const stored = await this.accounts.get(tx, account.id);
      if (stored === undefined || stored.status === 'erasing') throw erasedError();
      const kept = { ...stored, ...settings, ...unsaid(settings) };
      await this.accounts.storeKept(tx, account.id, kept, this.clock.now());
      return this.accounts.get(tx, account.id);
    });
    this.telemetry.noted('patched', account.id);
    return patched;
  }

  /**
   * Runs a call to upstream about the account's user. Throws `conflict` when there is none, or when upstream answers
   * that it does not know it any more.
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

  /** Maps an account to a new upstream user if its own is gone. Throws `not_found`, and as `Relinking.relink` does. */
  async relink(externalId: string): Promise<Account> {
    return this.relinking.relink(await this.get(externalId), interactive);
  }

  /** Users the account had before the present one. */
  formerUsers(tx: Tx, id: AccountId): Promise<string[]> {
    return this.accounts.formerUsers(tx, id);
  }

  private async withUser(account: Account, options: CallOptions): Promise<Account> {
    return (await this.relinking.isGone(account, options)) ? this.get(account.account_id) : account;
  }

  /** In the order in which accounts were made. */
  async list({ cursor, ...filter }: AccountQuery): Promise<Page<Account>> {
    const [afterId] = cursor === undefined ? [0] : decodeCursor(cursor, ['number']);
    const rows = await this.accounts.page({ ...filter, afterId, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, (account) => [account.id]);
  }

  /**
   * Takes tokens away from one account. A block ends nothing else: the person may still read what is stored of them,
   * and what their sources deliver is still taken in. Throws `not_found`, and `account_erased` for one being erased.
   */
  block(externalId: string): Promise<Account> {
    return this.setBlocked(externalId, 'blocked');
  }

  /** Does nothing to an account that is not blocked. Throws as `block` does. */
  unblock(externalId: string): Promise<Account> {
    return this.setBlocked(externalId, 'unblocked');
  }

  /** Closes an account that is to be erased to every write; false when it is gone or was closed before. */
  close(tx: Tx, id: AccountId, now: number): Promise<boolean> {
    return this.accounts.close(tx, id, now);
  }

  /** Leaves nothing of an account that is being erased but its two ids and its status. */
  anonymize(tx: Tx, id: AccountId, now: number): Promise<void> {
    return this.accounts.anonymize(tx, id, now);
  }

  /** Keeps the user of an account that is being erased, for its deletion upstream. */
  keepUpstreamUser(tx: Tx, id: AccountId, userId: string): Promise<void> {
    return this.accounts.keepUpstreamUser(tx, id, userId);
  }

  private async setBlocked(externalId: string, wanted: 'blocked' | 'unblocked'): Promise<Account> {
    const { id } = await this.get(externalId);
    const now = this.clock.now();
    const { changed, account } = await this.lane.run(async (tx) => {
      const changed = await this.accounts[wanted === 'blocked' ? 'block' : 'unblock'](tx, id, now);
      return { changed, account: await this.accounts.get(tx, id) };
    });
    if (account === undefined) throw notFound();
    if (account.status === 'erasing') throw erasedError();
    if (changed) this.telemetry.noted(wanted, account.id);
    return account;
  }
}

/** A setting that is there but undefined is one that was not given; null clears it. */
function givenOf(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** A change clears the source that upstream reported for the old fallback; the PATCH returns no new one. */
function unsaid({ fallback_time_zone: zone, fallback_birth_date: birth }: Settings): Partial<UserFacts> {
  return {
    ...(zone !== undefined && { fallback_time_zone_source: null, fallback_time_zone_updated_at: null }),
    ...(birth !== undefined && { fallback_birth_date_source: null, fallback_birth_date_updated_at: null }),
  };
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such account.');
}

/** Dates as `YYYY-MM-DD` compare as texts. */
function assertRange({ ingestion_start: start, ingestion_end: end }: Settings): void {
  if (!start || !end || start <= end) return;
  const message = 'ingestion_end must not be before ingestion_start';
  throw new AppError('invalid_request', 'The ingestion range ends before it starts.', {
    fields: [{ field: 'ingestion_end', message }],
  });
}
