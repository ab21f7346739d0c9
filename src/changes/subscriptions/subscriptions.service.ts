import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isWritable } from '../../accounts/erasure-guard/open-accounts.js';
import { fhirKinds } from '../../labs/results/fhir-bundles.service.js';
import { isBroker } from '../../platform/config/broker-login.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, invalidFields, orNotFound } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import type { Position } from '../../storage/change-log/cursor.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { MAX_ROWS_A_TRANSACTION } from '../feed/tuning.js';
import { brokerAddressOf } from './broker-address.js';
import { mayGetRoutingKey } from './pager-duty.js';
import { placeOf, positionText } from './place-in-feed.js';
import { PushClient } from './push.client.js';
import { PushSender } from './push.sender.js';
import type { PushAnswer } from './push-answer.js';
import { PushSecrets } from './push-secrets.js';
import { PushesRepository, type PushFilter, type ShownPush } from './pushes.repository.js';
import { isForAlarms, type Payload } from './subscription.entity.js';
import { type ShownSubscription, type SubscriptionRow, SubscriptionsRepository } from './subscriptions.repository.js';

/** Settings of a subscription; undefined: unchanged, or the default. */
export interface SubscriptionSettings {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly payload?: Payload | undefined;
  readonly kinds?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly origins?: readonly string[] | null | undefined;
}

export interface NewSubscription extends SubscriptionSettings {
  readonly url: string;
  readonly accountId?: string | undefined;
  /** Feed cursor to start after; undefined: now. */
  readonly after?: string | undefined;
}

/** With its secret, which is not shown anywhere else. */
export type SubscriptionWithSecret = ShownSubscription & { readonly secret: string };

const noLease = { attempts: 0, waits: 0, lease_owner: null, lease_until: null } as const;

/** Manages subscriptions for operators. push.flow.ts sends the pushes. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly pushes: PushesRepository,
    private readonly secrets: PushSecrets,
    private readonly sender: PushSender,
    private readonly client: PushClient,
    private readonly log: ChangeLog,
    private readonly accounts: AccountsService,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid_request`, `not_found` for an unknown account, and `conflict` without PUSH_SIGNING_KEYS. */
  async create({ accountId, after, ...settings }: NewSubscription): Promise<SubscriptionWithSecret> {
    const now = this.clock.now();
    const position = await this.positionOf(after);
    const account = accountId === undefined ? null : await this.accounts.get(accountId);
    const row: SubscriptionRow = {
      ...{ id: newId(), url: settings.url, description: null, payload: 'thin' },
      ...{ kinds: null, resources: null, origins: null, account_id: account?.id ?? null },
      ...this.secrets.first(),
      ...{ state: 'active', reason: null, round: 0, created_at: now, delivered_at: null },
      ...placeOf(position),
      ...{ failing_since: null, last_status: null, error_code: null, due_at: now },
      ...noLease,
      ...this.columnsOf(settings),
    };
    this.assertSendable(row);
    await this.lane.run(async (tx) => {
      if (account !== null && !(await isWritable(tx, account.id)))
        throw new AppError('not_found', 'There is no such account.');
      await this.subscriptions.insert(tx, row);
    });
    return { ...(await this.get(row.id)), secret: this.secrets.shown(row) };
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<ShownSubscription> {
    const row = await this.subscriptions.find(id);
    if (!row) throw notFound();
    return row;
  }

  async list({ cursor, limit }: { cursor?: string | undefined; limit: number }): Promise<Page<ShownSubscription>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, ['string'])[0];
    return pageOf(await this.subscriptions.page(after, limit + 1), limit, ({ id }) => [id]);
  }

  /** Throws `not_found` and `invalid_request`. */
  async update(id: string, settings: SubscriptionSettings): Promise<ShownSubscription> {
    const columns = this.columnsOf(settings);
    this.assertSendable({ ...(await this.get(id)), ...columns });
    return this.change(id, columns);
  }

  /** Throws `not_found`. */
  async delete(id: string): Promise<void> {
    if (!(await this.lane.run((tx) => this.subscriptions.delete(tx, id)))) throw notFound();
  }

  /** Rotates the secret; the previous one stays live for `keptHours`. Throws `not_found` and `conflict`. */
  async rotate(id: string, keptHours: number): Promise<SubscriptionWithSecret> {
    const columns = this.secrets.next(await this.get(id), keptHours, this.clock.now());
    const row = await this.change(id, columns);
    return { ...row, secret: this.secrets.shown(row) };
  }

  disable(id: string): Promise<ShownSubscription> {
    return this.change(id, { state: 'disabled', reason: 'operator', due_at: null });
  }

  /**
   * Resumes sending from the position, or after a cursor. Throws `not_found`, and unless it is about alarms, like
   * `ChangeLog.positionOf` if changes after it are no longer in the feed.
   */
  async enable(id: string, after?: string): Promise<ShownSubscription> {
    const row = await this.get(id);
    const place =
      after === undefined
        ? await this.resumed(row)
        : { ...placeOf(await this.positionOf(after)), round: row.round + 1 };
    const now = this.clock.now();
    const fresh = { state: 'active', reason: null, error_code: null, failing_since: null, due_at: now } as const;
    return this.change(id, { ...fresh, ...place, attempts: 0, waits: 0 });
  }

  /** Sends everything after a cursor again. Throws `not_found`, and like `ChangeLog.positionOf`. */
  async replayAfter(id: string, after: string): Promise<ShownSubscription> {
    const place = placeOf(await this.positionOf(after));
    const { round, state } = await this.get(id);
    return this.change(id, { ...place, round: round + 1, ...(state === 'active' && { due_at: this.clock.now() }) });
  }

  /** Requests that ended pushes are sent again, in slices; returns their number. Throws `not_found`. */
  async replayAll(id: string, filter: Omit<PushFilter, 'subscription'>): Promise<number> {
    await this.get(id);
    let count = 0;
    for (let after = 0; ; ) {
      const slice = await this.pushes.ended({ ...filter, subscription: id }, after, MAX_ROWS_A_TRANSACTION);
      const last = slice.at(-1);
      if (last === undefined) return count;
      await this.sendAgain(id, slice);
      count += slice.length;
      after = last.number;
    }
  }

  /** Requests that a push is sent again. Throws `not_found`. */
  async replay(id: string, changeId: string): Promise<ShownPush> {
    await this.sendAgain(id, [await this.push(id, changeId)]);
    return this.push(id, changeId);
  }

  /** Throws `not_found`. */
  async test(id: string): Promise<PushAnswer> {
    return this.sender.test(await this.get(id));
  }

  /** Pushes, newest change first. Throws `not_found`. */
  async listPushes(
    id: string,
    query: Omit<PushFilter, 'subscription'> & { cursor?: string | undefined; limit: number },
  ): Promise<Page<ShownPush>> {
    const { cursor, limit, ...filter } = query;
    await this.get(id);
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ['number'])[0];
    const rows = await this.pushes.page({ ...filter, subscription: id }, before, limit + 1);
    return pageOf(rows, limit, ({ number }) => [number]);
  }

  private async push(id: string, changeId: string): Promise<ShownPush> {
    return orNotFound(await this.pushes.find(id, changeId), 'No push with this id is in the log of this subscription.');
  }

  private async sendAgain(id: string, pushes: readonly Pick<ShownPush, 'id' | 'account_id'>[]): Promise<void> {
    const now = this.clock.now();
    const accounts = [...new Set(pushes.map(({ account_id }) => account_id))];
    const lanes = accounts.map((account) => ({ account, dueAt: now }));
    await this.lane.run(async (tx) => {
      await this.pushes.wait(tx, id, lanes, { now, isDue: true });
      await this.pushes.sendAgain(
        tx,
        pushes.map((push) => push.id),
        now,
      );
    });
  }

  private async change(id: string, columns: Partial<SubscriptionRow>): Promise<ShownSubscription> {
    if (!(await this.lane.run((tx) => this.subscriptions.change(tx, id, columns)))) throw notFound();
    return this.get(id);
  }

  private columnsOf(settings: SubscriptionSettings): Partial<SubscriptionRow> {
    const { url, description, payload, kinds, resources, origins } = settings;
    const lists = { kinds: jsonOf(kinds), resources: jsonOf(resources), origins: jsonOf(origins) };
    const given = { url: url === undefined ? undefined : this.checked(url), description, payload, ...lists };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }

  /** Throws `invalid_request` for a URL to which pushes could never be sent. */
  private checked(url: string): string {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || !(isBroker(parsed) || /^https?:$/.test(parsed.protocol)))
      throw invalidFields({ field: 'url', message: 'url must be an https address, or one of NATS or RabbitMQ' });
    if (parsed.username || parsed.password || parsed.hash) {
      const message = 'url must not contain a user name, a password (for a broker: PUSH_BROKER_LOGINS) or a fragment';
      throw invalidFields({ field: 'url', message });
    }
    const fault = isBroker(parsed) ? brokerAddressOf(parsed) : null;
    if (typeof fault === 'string') throw invalidFields({ field: 'url', message: fault });
    if (this.client.guard.mayConnect(parsed)) return parsed.href;
    const message = 'url must use https (amqps, nats+tls) and a public address, unless PUSH_ALLOWED_NETWORKS allows it';
    throw invalidFields({ field: 'url', message });
  }

  /** Throws `invalid_request` if the payload does not fit the kinds or the URL, and `conflict` without its key. */
  private assertSendable({ payload, kinds, url }: Pick<SubscriptionRow, 'payload' | 'kinds' | 'url'>): void {
    if (payload === 'fhir') return assertKindsOfFhir(kinds);
    if (!isForAlarms(payload)) return;
    if (kinds !== '["alarm"]')
      throw invalidFields({
        field: 'payload',
        message: `payload ${payload} is supported only with kinds ["alarm"]`,
      });
    if (payload !== 'pagerduty') return;
    if (!mayGetRoutingKey(new URL(url), this.client.guard)) {
      const message =
        'url must be https://events.pagerduty.com/v2/enqueue or https://events.eu.pagerduty.com/v2/enqueue, or the IP ' +
        'address of a relay in PUSH_ALLOWED_NETWORKS, because the routing key is sent to it';
      throw invalidFields({ field: 'url', message });
    }
    if (this.sender.lacksKey(payload))
      throw new AppError('conflict', 'PagerDuty needs its routing key: set PAGERDUTY_ROUTING_KEY for every process.');
  }

  /** Where a subscription continues. One about alarms does so after a gap too: a chat has no copy to replace. */
  private async resumed(row: ShownSubscription): Promise<Partial<SubscriptionRow>> {
    if (!isForAlarms(row.payload) || (row.reason !== 'fell_behind' && row.reason !== 'feed_restarted')) {
      await this.log.positionOf(positionText(row));
      return {};
    }
    const [oldest, newest] = await Promise.all([this.log.oldest(), this.log.newest()]);
    const number = Math.min(Math.max(row.number, oldest.number), newest.number);
    return placeOf({ feed: newest.feed, number, at: 0 });
  }

  private positionOf(after: string | undefined): Promise<Position> {
    return after === undefined ? this.log.newest() : this.log.positionOf(after);
  }
}

/** Other kinds have no form in FHIR. */
function assertKindsOfFhir(kinds: string | null): void {
  const named = kinds === null ? [] : (JSON.parse(kinds) as string[]);
  if (named.length > 0 && named.every((kind) => fhirKinds.some((each) => each === kind))) return;
  const message = `payload fhir is supported only with kinds of ${JSON.stringify(fhirKinds)}`;
  throw invalidFields({ field: 'payload', message });
}

function jsonOf(list: readonly string[] | null | undefined): string | null | undefined {
  return list === undefined || list === null ? list : JSON.stringify(list);
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such subscription.');
}
