import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { isUuid } from '../platform/ids.js';
import { SchemaService } from '../schema/schema.service.js';
import { UpstreamClient } from '../upstream/upstream.client.js';
import { DataHandler } from './data.handler.js';
import { type Envelope, type EventFamily, ignore, type Plan, type RoutedEvent, readEventType } from './event.js';
import { LabHandler } from './lab.handler.js';
import { SourceHandler } from './source.handler.js';

/** Upstream does not know the user of the event, or the event names none. */
export class UnknownUser extends Error {
  override readonly name = 'UnknownUser';
}

/**
 * Whose an event is. `account`: `accounts.id` · `erased`: of a person who was or is being erased · `foreign`: of
 * another team of upstream · `unknown`: of a user who has no account here; `adopt` makes one.
 */
export type Owner =
  | { readonly kind: 'account'; readonly account: number }
  | { readonly kind: 'erased' | 'foreign' }
  | { readonly kind: 'unknown'; readonly adopt: (signal: AbortSignal) => Promise<Owner> };

/** Well inside the lease of a message. */
const ADOPTION_DEADLINE_MS = 10_000;

/** What an event means: whose it is, and what is to be done about it. Knows nothing of the messages events come in. */
@Injectable()
export class EventsService {
  /** A family without a handler does not compile. */
  private readonly handlers: Readonly<Record<EventFamily, (event: RoutedEvent) => Plan>>;
  private readonly adoptions = new Map<string, Promise<number>>();
  private team: string | null = null;

  constructor(
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamClient,
    private readonly schema: SchemaService,
    private readonly guard: ErasureGuard,
    data: DataHandler,
    sources: SourceHandler,
    labs: LabHandler,
  ) {
    this.handlers = {
      data: (event) => data.records(event),
      history: (event) => data.history(event),
      connection_created: (event) => sources.connected(event),
      connection_error: (event) => sources.broken(event),
      device: (event) => sources.device(event),
      order: (event) => labs.order(event),
      appointment: (event) => labs.appointment(event),
      critical_result: (event) => labs.critical(event),
      other: () => ignore('unknown_event'),
    };
  }

  /** What is to be done about an event. Throws `WireShapeError` for data that cannot be used. */
  plan({ eventType, data }: Envelope, message: Pick<RoutedEvent, 'seq' | 'receivedAt'>): Plan {
    const { family, resource } = readEventType(eventType);
    return this.handlers[family]({ ...message, resource, data });
  }

  /**
   * Whose an event is, in two steps. This one asks the store alone: also an event that is ignored or cannot be used is
   * filed under its owner. The second, `adopt`, asks upstream about a user who is not known here and makes the account;
   * it is for events that have an effect, since nothing else should make accounts. It throws `UnknownUser` when
   * upstream does not know the user either, `UpstreamError`, and what adopting throws; never call it inside a
   * transaction.
   *
   * Events that name no user by upstream's id name it by ours, if at all (docs/upstream/webhooks.md#envelope).
   */
  async owner(envelope: Envelope): Promise<Owner> {
    const { userId, clientUserId } = envelope;
    if (await this.isForeign(envelope)) return { kind: 'foreign' };
    const account =
      userId !== null
        ? await this.accounts.findByUpstreamUser(userId)
        : clientUserId === null
          ? null
          : await this.accounts.find(clientUserId);
    if (account) return account.status === 'erasing' ? { kind: 'erased' } : { kind: 'account', account: account.id };
    if (userId !== null && (await this.guard.isErased(userId))) return { kind: 'erased' };
    return { kind: 'unknown', adopt: (signal) => this.adopt(envelope, signal) };
  }

  /** The first adoption binds the database to upstream's team, so only after it a foreign event may show as one. */
  private async adopt(envelope: Envelope, signal: AbortSignal): Promise<Owner> {
    if (envelope.userId === null || !isUuid(envelope.userId)) throw new UnknownUser();
    const account = await this.adopted(envelope.userId, signal);
    return (await this.isForeign(envelope)) ? { kind: 'foreign' } : { kind: 'account', account };
  }

  /** Many events of a new user arrive together; upstream is asked once. */
  private adopted(userId: string, signal: AbortSignal): Promise<number> {
    const running = this.adoptions.get(userId);
    if (running) return running;
    const adoption = this.adoptUser(userId, signal).finally(() => this.adoptions.delete(userId));
    this.adoptions.set(userId, adoption);
    return adoption;
  }

  private async adoptUser(userId: string, signal: AbortSignal): Promise<number> {
    const options = { priority: 'background', deadlineMs: ADOPTION_DEADLINE_MS, signal } as const;
    const user = await this.upstream.findUser(userId, options);
    if (user === null) throw new UnknownUser();
    return (await this.accounts.adopt(user)).id;
  }

  /** The team is bound once and never changes, so it is read until it is known. */
  private async isForeign({ teamId }: Envelope): Promise<boolean> {
    if (teamId === null) return false;
    this.team ??= await this.schema.teamId();
    return this.team !== null && this.team.toLowerCase() !== teamId.toLowerCase();
  }
}
