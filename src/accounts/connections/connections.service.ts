import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseUtcInstant, type TimeRange } from '../../platform/platform/time.js';
import { noteChanges } from '../../storage/change-log/note-changes.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import type { WireConnection, WireConnections } from '../../upstream/client/wire-users.js';
import type { SqlPart } from '../accounts/listed-accounts.repository.js';
import { otherAccount } from './connection.entity.js';
import { gapsOf } from './connection-gaps.js';
import {
  type Connection,
  ConnectionsRepository,
  type Observed,
  type Overlap,
  type ShownSource,
  type SourceFilter,
} from './connections.repository.js';
import { successionsAt } from './provider-facts.js';

export type { Connection, Overlap, ShownSource } from './connections.repository.js';

/** Providers whose state an observation changed. */
export interface ConnectionChanges {
  connected: string[];
  errored: string[];
  /** Paused, or no longer listed by upstream. */
  gone: string[];
}

/** A connected source. Two reads are equal if its connection did not change in between. */
export interface SteadySource {
  /** Epoch milliseconds. */
  readonly connectedAt: number | null;
  readonly lastChange: number | null;
}

/** `at` is when the source was disconnected, in epoch milliseconds; null if it was never connected. */
export interface Disconnected {
  readonly outcome: 'disconnected' | 'already_disconnected' | 'not_connected';
  readonly at: number | null;
}

/** Context of a fact: the stored connection, the earliest time at which it may have begun, and who requested it. */
interface Change {
  readonly before: Connection | undefined;
  readonly since: number;
  readonly askedBy: string | null;
}

type State = keyof ConnectionChanges;

const nothingKnown = {
  error_type: null,
  error_at: null,
  connected_at: null,
  resource_availability: null,
  person_mark: null,
  other_account_at: null,
} as const;

/**
 * Upstream may add statuses: a source that is neither connected nor in error delivers nothing
 * (docs/upstream/connections.md#list-of-connections).
 */
function stateOf(status: string | undefined): State {
  if (status === 'connected') return 'connected';
  return status === 'error' ? 'errored' : 'gone';
}

/**
 * Stores the connections of accounts. Facts arrive in any order, so each has the time of its observation, in epoch
 * milliseconds; a fact older than the stored one changes nothing. Write methods lock the account until the transaction
 * ends.
 */
@Injectable()
export class ConnectionsService {
  constructor(private readonly connections: ConnectionsRepository) {}

  /** True if the source was not connected before. */
  async recordConnected(
    tx: Tx,
    accountId: number,
    fact: {
      provider: string;
      connected_at?: number | null | undefined;
      /** Map of resource name to availability, as upstream sent it. */
      resource_availability?: object | null | undefined;
      /** The account at the provider, as upstream sent it. */
      external_user_id?: string | null | undefined;
      observedAt: number;
    },
  ): Promise<boolean> {
    return this.record(tx, accountId, {
      ...nothingKnown,
      provider: fact.provider,
      status: 'connected',
      connected_at: fact.connected_at ?? null,
      resource_availability: fact.resource_availability ? JSON.stringify(fact.resource_availability) : null,
      observed_at: fact.observedAt,
      person_mark: personMark(accountId, fact.provider, fact.external_user_id ?? null),
    });
  }

  /**
   * True if the source was not in error before. An error lasts until the person connects again
   * (docs/upstream/connections.md#connection-errors).
   */
  async recordError(
    tx: Tx,
    accountId: number,
    fact: { provider: string; error_type: string | null; observedAt: number },
  ): Promise<boolean> {
    return this.record(tx, accountId, {
      ...nothingKnown,
      provider: fact.provider,
      status: 'error',
      error_type: fact.error_type,
      error_at: fact.observedAt,
      observed_at: fact.observedAt,
    });
  }

  /**
   * Applies upstream's list of connections; `observedAt` is the start of the call. A stored source that is not listed
   * becomes `disconnected`. One whose entry could not be read, or might be an unreadable one, stays as it is.
   */
  async reconcile(
    tx: Tx,
    accountId: number,
    { listed, unreadable, hasNameless }: WireConnections,
    observedAt: number,
  ): Promise<ConnectionChanges> {
    const changes: ConnectionChanges = { connected: [], errored: [], gone: [] };
    await tx.lock('account', accountId);
    const before = await this.before(tx, accountId);
    const facts = new Map(listed.map((connection) => [connection.slug, observed(accountId, connection, observedAt)]));
    for (const [provider, { status }] of before) {
      const isListed = hasNameless || facts.has(provider) || unreadable.includes(provider);
      if (!isListed && status !== 'disconnected') facts.set(provider, missing(provider, observedAt));
    }
    for (const [provider, fact] of facts) {
      const changed = await this.store(tx, accountId, fact, observedFrom(fact, before.get(provider)));
      if (changed) changes[stateOf(fact.status)].push(provider);
    }
    return changes;
  }

  /**
   * Records that upstream disconnected a source at our request. Writes nothing if the source was already disconnected
   * or is unknown.
   */
  async recordDisconnected(
    tx: Tx,
    accountId: number,
    { provider, askedBy, now }: { provider: string; askedBy: string; now: number },
  ): Promise<Disconnected> {
    await tx.lock('account', accountId);
    const before = (await this.before(tx, accountId)).get(provider);
    if (before === undefined) return { outcome: 'not_connected', at: null };
    if (before.status === 'disconnected') {
      const at = await this.connections.lastChangeAt(tx, accountId, provider);
      return { outcome: 'already_disconnected', at: at ?? before.observed_at };
    }
    // Facts from before the call must not override this one, even if the clock was set back during the call.
    const at = Math.max(now, before.observed_at);
    await this.store(tx, accountId, missing(provider, at), { before, since: at, askedBy });
    return { outcome: 'disconnected', at };
  }

  /** Connections sorted by provider, including disconnected ones. */
  list(accountId: number): Promise<Connection[]> {
    return this.connections.list(accountId);
  }

  /** The source if it is connected and not in error; else null. */
  async steady(queryable: Queryable, accountId: number, provider: string): Promise<SteadySource | null> {
    const row = await this.connections.withLastChange(queryable, accountId, provider);
    if (!row || !isSteadySource(row)) return null;
    return { connectedAt: row.connected_at, lastChange: row.last_change };
  }

  /** Number of connected sources, over all accounts. */
  countConnected(): Promise<number> {
    return this.connections.countConnected();
  }

  /** A SELECT of the `accounts.id` with a connection to the provider that is not disconnected. */
  accountsOf(provider: string): SqlPart {
    return this.connections.accountsOf(provider);
  }

  /** Sources of all accounts that are not disconnected, by account and provider. */
  page(filter: SourceFilter): Promise<ShownSource[]> {
    return this.connections.page(filter);
  }

  /** Connections of these accounts to these providers, in any status. */
  among(accounts: readonly number[], providers: readonly string[]): Promise<Connection[]> {
    return this.connections.among(accounts, providers);
  }

  /** All connections of these accounts, by account and provider. */
  ofAccounts(accounts: readonly number[]): Promise<Connection[]> {
    return this.connections.ofAccounts(accounts);
  }

  /** Like `list`, within a transaction. */
  listIn(tx: Tx, accountId: number): Promise<Connection[]> {
    return this.connections.rows(tx, accountId);
  }

  /** The gaps in which each source was not connected, by provider and sorted by start. */
  async gaps(accountId: number): Promise<Map<string, TimeRange[]>> {
    return gapsOf(await this.connections.changes(accountId));
  }

  /** The periods in which a retired source that has ended and its successor were both connected. */
  overlapsOf(accountId: number): Promise<Overlap[]> {
    return this.connections.overlapsOf(accountId);
  }

  /** Stores the overlap of a retired source and its successor once both of its ends are known, in either order. */
  private async keepOverlap(tx: Tx, accountId: number, changed: Observed): Promise<void> {
    const succession = successionsAt(changed.observed_at).find(({ provider, successor }) =>
      [provider, successor].includes(changed.provider),
    );
    if (!succession) return;
    const next = (await this.before(tx, accountId)).get(succession.successor);
    const end = await this.connections.endedAt(tx, accountId, succession.provider);
    const start = next?.connected_at ?? next?.observed_at ?? 0;
    if (next?.status !== 'connected' || end === null || start >= end) return;
    const { provider, successor } = succession;
    const overlap = { overlap_start: start, overlap_end: end };
    await this.connections.saveOverlap(tx, { account_id: accountId, provider, successor, ...overlap });
  }

  private async record(tx: Tx, accountId: number, fact: Observed): Promise<boolean> {
    await tx.lock('account', accountId);
    const before = await this.before(tx, accountId);
    return this.store(tx, accountId, fact, observedFrom(fact, before.get(fact.provider)));
  }

  /** True if the state changed. Also stores each change, because the connection has only its latest status. */
  private async store(tx: Tx, accountId: number, given: Observed, { before, ...change }: Change): Promise<boolean> {
    const isOther = isOtherAccount(given, before);
    const fact = { ...given, other_account_at: isOther ? given.observed_at : (before?.other_account_at ?? null) };
    if (!(await this.connections.upsert(tx, accountId, fact))) return false;
    if (isOther) {
      await this.connections.insertChange(tx, accountId, { ...fact, error_type: otherAccount }, change);
    }
    if (before?.status !== fact.status) await this.connections.insertChange(tx, accountId, fact, change);
    else if (fact.error_at !== null) await this.connections.moveChange(tx, accountId, fact, change.since);
    if (isOther || isNews(fact, before)) await noteSource(tx, accountId, fact, before);
    if (before?.status !== fact.status || fact.error_at !== null) await this.keepOverlap(tx, accountId, fact);
    return stateOf(fact.status) !== stateOf(before?.status);
  }

  private async before(tx: Tx, accountId: number): Promise<Map<string, Connection>> {
    const rows = await this.connections.rows(tx, accountId);
    return new Map(rows.map((row) => [row.provider, row]));
  }
}

/** True if a source is connected and not in error. */
export function isSteadySource({ status, error_type }: Pick<Connection, 'status' | 'error_type'>): boolean {
  return status === 'connected' && error_type === null;
}

/** Upstream names another account at the provider than before. Two people may be in one list of records. */
function isOtherAccount({ person_mark }: Observed, before: Connection | undefined): boolean {
  const known = before?.person_mark ?? null;
  return person_mark !== null && known !== null && person_mark !== known;
}

/** True if a fact changes what consumers of changes see of the source. */
function isNews(fact: Observed, before: Connection | undefined): boolean {
  if (before?.status !== fact.status || before.error_type !== fact.error_type) return true;
  const { resource_availability: available } = fact;
  return available !== null && available !== before.resource_availability;
}

function noteSource(
  tx: Tx,
  account: number,
  { provider, status, observed_at: at }: Observed,
  before: Connection | undefined,
): Promise<void> {
  const action = stateOf(status) === 'gone' ? 'gone' : before === undefined ? 'created' : 'changed';
  return noteChanges(tx, [{ kind: 'source', action, account, subject: provider, provider }], at);
}

function observedFrom(fact: Observed, before: Connection | undefined): Change {
  return { before, since: beganAt(fact, before), askedBy: null };
}

/** Earliest time at which the status of a fact may have begun, as far as upstream reports it. */
function beganAt({ status, error_at, observed_at }: Observed, before: Connection | undefined): number {
  if (status === 'connected') return observed_at;
  return Math.min(error_at ?? before?.observed_at ?? observed_at, observed_at);
}

/** The account at the provider, for comparison only. */
function personMark(accountId: number, slug: string, externalUserId: string | null): string | null {
  if (externalUserId === null || externalUserId === '') return null;
  // Case makes no difference in an e-mail address.
  const who = externalUserId.includes('@') ? externalUserId.trim().toLowerCase() : externalUserId;
  return createHash('sha256').update(`${accountId} ${slug} ${who}`).digest('base64url');
}

function observed(accountId: number, connection: WireConnection, observedAt: number): Observed {
  const { slug, status, error_details: error, created_on, resource_availability } = connection;
  const known = Object.keys(resource_availability).length > 0;
  return {
    provider: slug,
    status,
    error_type: error?.error_type ?? null,
    error_at: parseUtcInstant(error?.errored_at),
    connected_at: parseUtcInstant(created_on),
    resource_availability: known ? JSON.stringify(resource_availability) : null,
    observed_at: observedAt,
    person_mark: personMark(accountId, slug, connection.external_user_id),
    other_account_at: null,
  };
}

function missing(provider: string, observedAt: number): Observed {
  return { ...nothingKnown, provider, status: 'disconnected', observed_at: observedAt };
}
