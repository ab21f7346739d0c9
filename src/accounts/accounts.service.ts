import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { erasedError, isErasedError } from '../erasure-guard/erasure-guard.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { isExternalAccountId } from '../platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { HOUR_MS } from '../platform/time.js';
import { SchemaService } from '../schema/schema.service.js';
import type { CallOptions } from '../upstream/upstream.client.js';
import type { WireUser } from '../upstream/wire-users.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import type { AccountEntity } from './account.entity.js';
import { looksPersonal } from './account-id.js';
import { type AccountFilter, AccountsRepository, type UserSettings } from './accounts.repository.js';
import { AccountsTelemetry } from './accounts.telemetry.js';
import { SourcePolls } from './source-polls.service.js';
import { settingsOf, UpstreamUsers } from './upstream-users.js';

/*
 * How an account gets its upstream user:
 *
 *   (no row) --stored--> pending --upstream creates or names the user--> active
 *   (no row) --upstream told us of a user--> active
 *
 * A pending row is committed before upstream is asked, so a crash or a lost answer leaves something to finish: by the
 * next `ensure`, or by the worker. Asking again is safe, since upstream names the user it made the first time. Callers
 * of one process share one attempt; processes that race get the same user. The mapping is written once: a second user
 * for an account, or a second account for a user, is a `conflict` and changes nothing.
 */

type Settings = Partial<UserSettings>;

/** An account that is mapped and usable. */
export type ActiveAccount = AccountEntity & { status: 'active'; upstream_user_id: string };

interface Ensured {
  account: ActiveAccount;
  /** Upstream took the settings of this attempt with the user it created. */
  created: boolean;
}

export type AccountQuery = Omit<AccountFilter, 'afterId'> & { cursor?: string | undefined };

/** A new user has no sources yet; the first look is for connections whose event never came. */
const firstLookMs = HOUR_MS;

@Injectable()
export class AccountsService {
  private readonly attempts = new Map<string, Promise<Ensured>>();

  constructor(
    private readonly lane: WriteLane,
    private readonly accounts: AccountsRepository,
    private readonly users: UpstreamUsers,
    private readonly checks: SourcePolls,
    private readonly clock: Clock,
    private readonly events: AccountsTelemetry,
    private readonly schema: SchemaService,
  ) {}

  /**
   * The active account with this id, made on first use. Throws `account_id_not_allowed` (only for an account that does
   * not exist yet), `account_blocked`, `account_erased`, `upstream_user_limit`, `conflict` or `UpstreamError`.
   */
  async ensure(accountId: string, options: CallOptions): Promise<ActiveAccount> {
    return (await this.ensured(accountId, {}, options)).account;
  }

  /** As `ensure`, and an account that is blocked as it is: what is stored of a person stays theirs to read. */
  async ensureReadable(accountId: string, options: CallOptions): Promise<AccountEntity> {
    const known = await this.find(accountId);
    return known?.status === 'active' || known?.status === 'blocked' ? known : this.ensure(accountId, options);
  }

  /** As `ensure`, and the settings given hold afterwards, upstream and here. */
  async create(accountId: string, wanted: Settings, options: CallOptions): Promise<AccountEntity> {
    const settings = givenOf(wanted);
    assertRange(settings);
    const { account, created } = await this.ensured(accountId, settings, options);
    if (created || Object.keys(settings).length === 0) return account;
    return this.patch(accountId, settings, options);
  }

  find(accountId: string): Promise<AccountEntity | null> {
    return this.accounts.find(accountId);
  }

  /** Throws `not_found`. */
  async get(accountId: string): Promise<AccountEntity> {
    const account = await this.find(accountId);
    if (!account) throw new AppError('not_found', 'There is no such account.');
    return account;
  }

  /** How many accounts can be pulled, and the newest of them; 0 without any. */
  countPullable(): Promise<{ accounts: number; lastAccount: number }> {
    return this.accounts.countPullable();
  }

  /** Accounts that can be pulled, `after` one up to and including `last`, in the order in which they were made. */
  listPullable(tx: Tx, range: { after: number; last: number; limit: number }): Promise<number[]> {
    return this.accounts.listPullable(tx, range);
  }

  findByRef(id: number): Promise<AccountEntity | null> {
    return this.accounts.findByRef(id);
  }

  findByUpstreamUser(userId: string): Promise<AccountEntity | null> {
    return this.accounts.findByUpstreamUser(userId.toLowerCase());
  }

  /**
   * The account of an upstream user, made or finished if need be; its sources are looked at soon. Ids that look
   * personal are taken over, upstream has them anyway. Throws `conflict` when either side is mapped to another, and
   * `account_id_not_allowed` for an id that cannot be stored, and `account_erased` for a user that was erased.
   */
  async adopt(user: WireUser): Promise<AccountEntity> {
    if (!isExternalAccountId(user.client_user_id))
      throw notAllowed('The id of the upstream user cannot be an account id.');
    return this.link(user, 'adopted');
  }

  /** The account of an upstream user id, adopted after asking upstream; null when upstream does not know it either. */
  async adoptByUpstreamUser(userId: string, options: CallOptions): Promise<AccountEntity | null> {
    const known = await this.findByUpstreamUser(userId);
    if (known) return known;
    const user = await this.users.find(userId, options);
    return user && this.adopt(user);
  }

  /**
   * Changes the settings upstream, then here. Throws `not_found`, `account_erased`, `invalid_request`, `conflict` or
   * `UpstreamError`.
   */
  async patch(accountId: string, wanted: Settings, options: CallOptions): Promise<AccountEntity> {
    const settings = givenOf(wanted);
    if (Object.keys(settings).length === 0) throw new AppError('invalid_request', 'At least one field is needed.');
    const account = await this.get(accountId);
    if (account.status === 'erasing') throw erasedError();
    assertRange({ ...account, ...settings });
    await this.callFor(account, (userId) => this.users.patch(userId, settings, options));
    const patched = await this.lane.run(async (tx) => {
      await tx.lock('account', account.id);
      const stored = await this.accounts.get(tx, account.id);
      if (stored === undefined || stored.status === 'erasing') throw erasedError();
      await this.accounts.storeSettings(tx, account.id, { ...stored, ...settings }, this.clock.now());
      return this.accounts.get(tx, account.id);
    });
    this.events.patched(account.id);
    return patched;
  }

  /**
   * Runs a call to upstream about the account's user. Throws `conflict` when there is none, or when upstream answers
   * that it does not know it any more.
   */
  async callFor<T>(account: AccountEntity, call: (userId: string) => Promise<T>): Promise<T> {
    if (account.upstream_user_id === null) throw new AppError('conflict', 'The account has no upstream user yet.');
    try {
      return await call(account.upstream_user_id);
    } catch (error) {
      if (!(error instanceof UpstreamError && error.isNotFound)) throw error;
      this.events.userUnknown(account.id);
      throw new AppError('conflict', 'Upstream no longer knows the user of this account.', { cause: error });
    }
  }

  /** Accounts in the order in which they were made. */
  async list({ cursor, ...filter }: AccountQuery): Promise<Page<AccountEntity>> {
    const [afterId] = cursor === undefined ? [0] : decodeCursor(cursor, ['number']);
    const rows = await this.accounts.page({ ...filter, afterId, limit: filter.limit + 1 });
    return pageOf(rows, filter.limit, (account) => [account.id]);
  }

  /** Pending accounts whose next attempt is due. */
  listDuePending(limit: number): Promise<AccountEntity[]> {
    return this.accounts.duePending(this.clock.now(), limit);
  }

  /** Puts the next attempt on a pending account off; each time for longer. */
  async deferPending(account: AccountEntity, error: unknown): Promise<void> {
    await this.lane.run((tx) => this.accounts.touchPending(tx, account.id, this.clock.now()));
    this.events.deferred(account.id, error);
  }

  private async ensured(accountId: string, settings: Settings, options: CallOptions): Promise<Ensured> {
    const running = this.attempts.get(accountId);
    if (running) return { ...(await running), created: false };
    const attempt = this.attempt(accountId, settings, options).finally(() => this.attempts.delete(accountId));
    this.attempts.set(accountId, attempt);
    return attempt;
  }

  private async attempt(accountId: string, settings: Settings, options: CallOptions): Promise<Ensured> {
    const account = (await this.find(accountId)) ?? (await this.insertPending(accountId));
    if (account.status !== 'pending') return { account: usable(account), created: false };
    const { user, created } = await this.createOrFind(accountId, settings, options);
    return { account: usable(await this.link(user, created ? 'created' : 'adopted')), created };
  }

  private async insertPending(accountId: string): Promise<AccountEntity> {
    if (!isExternalAccountId(accountId))
      throw notAllowed('The account id must be 1 to 255 characters without control signs.');
    if (looksPersonal(accountId)) {
      this.events.refused('personal_id');
      throw notAllowed('The account id must not be an e-mail address or a phone number.');
    }
    return this.lane.run((tx) => this.accounts.insertPending(tx, accountId, this.clock.now()));
  }

  private async createOrFind(
    accountId: string,
    settings: Settings,
    options: CallOptions,
  ): ReturnType<UpstreamUsers['createOrFind']> {
    try {
      return await this.users.createOrFind(accountId, settings, options);
    } catch (error) {
      if (error instanceof AppError && error.code === 'upstream_user_limit') this.events.refused('user_limit');
      throw error;
    }
  }

  private async link(user: WireUser, outcome: 'created' | 'adopted'): Promise<AccountEntity> {
    const now = this.clock.now();
    const mapping = {
      accountId: user.client_user_id,
      userId: user.user_id.toLowerCase(),
      settings: settingsOf(user),
      now,
    };
    const { account, linked } = await this.lane
      .run(async (tx) => {
        if (await this.accounts.isErased(tx, mapping.userId)) throw erasedError();
        const { id } = await this.accounts.insertPending(tx, mapping.accountId, now);
        const linked = await this.accounts.link(tx, id, mapping);
        const account = await this.accounts.get(tx, id);
        if (account.status === 'erasing') throw erasedError();
        if (account.upstream_user_id !== mapping.userId) throw otherMapping();
        if (linked && user.team_id) await this.schema.bindTeam(tx, user.team_id);
        if (linked) await this.checks.request(tx, id, outcome === 'created' ? now + firstLookMs : now);
        return { account, linked };
      })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'conflict') this.events.conflict();
        if (isErasedError(error)) this.events.fenced('user');
        throw error;
      });
    if (linked) this.events.linked(account.id, outcome);
    return account;
  }
}

/** A setting that is there but undefined is one that was not given; null clears it. */
function givenOf(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function usable(account: AccountEntity): ActiveAccount {
  if (isActive(account)) return account;
  throw new AppError('account_blocked', 'The account is blocked or being erased.');
}

function isActive(account: AccountEntity): account is ActiveAccount {
  return account.status === 'active' && account.upstream_user_id !== null;
}

function otherMapping(): AppError {
  return new AppError('conflict', 'The account, or the upstream user, is already mapped to another.');
}

function notAllowed(message: string): AppError {
  return new AppError('account_id_not_allowed', message, { fields: [{ field: 'account_id', message }] });
}

/** Dates as `YYYY-MM-DD` compare as texts. */
function assertRange({ ingestion_start: start, ingestion_end: end }: Settings): void {
  if (!start || !end || start <= end) return;
  const message = 'ingestion_end must not be before ingestion_start';
  throw new AppError('invalid_request', 'The ingestion range ends before it starts.', {
    fields: [{ field: 'ingestion_end', message }],
  });
}
