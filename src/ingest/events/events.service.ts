import { Injectable } from '@nestjs/common';
import { type AccountOwner, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ErasureGuard, type PersonIds } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { type KnownAccount } from '../../accounts/erasure-guard/open-accounts.js';
import { inTurns } from '../../platform/platform/event-loop.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { DataHandler } from './data.handler.js';
import {
  type Envelope,
  type EventFamily,
  ignore,
  LONG_BYTES,
  type OpenBody,
  type Plan,
  type RoutedEvent,
  readEnvelope,
  readEventType,
} from './event.js';
import { LabHandler } from './lab.handler.js';
import { LongBody } from './long-body.js';
import { namedIdsIn } from './named-ids.js';
import { type UserKey } from './owner-lookups.repository.js';
import { userKey } from './owner-lookups.service.js';
import { SourceHandler } from './source.handler.js';

/**
 * Owner of an event. `account`: a known account · `erased`: a person who was or is being erased · `foreign`: another
 * team of upstream · `unknown`: a user without an account, to be looked up; `user` is null if the event names no
 * possible user.
 */
export type Owner =
  | { readonly kind: 'account'; readonly account: KnownAccount }
  | { readonly kind: 'erased' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unknown'; readonly user: UserKey | null };

/** Each id costs a digest per fence key. A normal event has only a few. */
const MAX_CLIENT_USER_IDS = 1_000;

/** Upstream's team of this database (null if not known yet), and accounts by upstream user id in lower case. */
export interface Owners {
  readonly team: string | null;
  readonly accounts: ReadonlyMap<string, AccountOwner>;
}

/** Finds the owner of an event and plans its effect. Does not depend on the inbox. */
@Injectable()
export class EventsService {
  /** A family without a handler is a compile error. */
  private readonly handlers: Readonly<Record<EventFamily, (event: RoutedEvent) => Plan>>;
  private team: string | null = null;

  constructor(
    private readonly accounts: AccountsService,
    private readonly schema: SchemaService,
    private readonly guard: ErasureGuard,
    data: DataHandler,
    sources: SourceHandler,
    private readonly labs: LabHandler,
  ) {
    this.handlers = {
      data: (event) => data.records(event),
      history: (event) => sources.history(event),
      connection_created: (event) => sources.connected(event),
      connection_error: (event) => sources.broken(event),
      device: (event) => sources.device(event),
      order: (event) => labs.order(event),
      appointment: (event) => labs.appointment(event),
      critical_result: (event) => labs.critical(event),
      match_review: (event) => labs.matchReview(event),
      parsing_job: (event) => labs.parsingJob(event),
      query_result: () => ignore('not_stored'),
      other: () => ignore('unknown_event'),
    };
  }

  /** Reads a body; a long one in its own thread, which `close` ends. */
  async open(body: Buffer): Promise<OpenBody> {
    if (body.length > LONG_BYTES) return LongBody.open(body);
    return { read: readEnvelope(body), records: null, close: () => Promise.resolve() };
  }

  /** Plans the effect of an event. Throws `WireShapeError` for unusable data. */
  plan(
    { eventType, data }: Envelope,
    { seq, receivedAt, records }: Pick<RoutedEvent, 'seq' | 'receivedAt' | 'records'>,
  ): Plan {
    const { family, resource } = readEventType(eventType);
    return this.handlers[family]({ seq, receivedAt, records, resource, data });
  }

  /**
   * Owner of an event according to the database, also for ignored and unusable events, which are stored with their
   * owner. An unknown user is looked up only for an event with an effect, because no other event should create an
   * account. Foreign events are recognized once the first account has bound the database to upstream's team. Events
   * without upstream's user id have our id (docs/upstream/webhooks.md#envelope) or only an order id
   * (docs/upstream/webhooks.md#lab-notices).
   */
  async owner(envelope: Envelope, known: Owners): Promise<Owner> {
    const { userId, clientUserId } = envelope;
    if (isForeign(envelope, known)) return { kind: 'foreign' };
    const account = await this.accountOf(envelope, known);
    if (account) return account.status === 'erasing' ? { kind: 'erased' } : { kind: 'account', account };
    if (await this.guard.isErased({ userId, clientUserId })) return { kind: 'erased' };
    return { kind: 'unknown', user: userKey(userId, clientUserId) };
  }

  /** An id in the body, at any depth, of an erased person or of their order; null if there is none. */
  async erasedIn(body: Buffer): Promise<PersonIds | null> {
    const { uuids, clientUserIds } = await inTurns(namedIdsIn(body));
    return this.guard.firstErased([...uuids], [...clientUserIds].slice(0, MAX_CLIENT_USER_IDS));
  }

  /** Reads the data that `owner` needs for several events. */
  async ownersOf(envelopes: readonly Envelope[]): Promise<Owners> {
    // Once bound, the team never changes, so it is read only until it is known.
    this.team ??= await this.schema.teamId();
    const accounts = await this.accounts.ownersOf(envelopes.flatMap(({ userId }) => userId ?? []));
    return { team: this.team, accounts };
  }

  private async accountOf(
    { eventType, data, userId, clientUserId }: Envelope,
    known: Owners,
  ): Promise<AccountOwner | null> {
    if (userId !== null) return known.accounts.get(userId.toLowerCase()) ?? null;
    if (clientUserId !== null) return this.accounts.findByUpstreamName(clientUserId);
    const { family } = readEventType(eventType);
    const isNotice = family === 'parsing_job' || family === 'match_review';
    const owner = isNotice ? await this.labs.ownerOf(data) : null;
    return owner === null ? null : this.accounts.findById(owner);
  }
}

function isForeign({ teamId }: Envelope, { team }: Owners): boolean {
  return teamId !== null && team !== null && team.toLowerCase() !== teamId.toLowerCase();
}
