import { Injectable } from '@nestjs/common';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { FhirBundles, fhirKinds } from '../../labs/results/fhir-bundles.service.js';
import { changeKinds } from '../../platform/config/feed-scope.js';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import { type Change } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { FeedEntries } from '../feed/feed-entries.service.js';
import { AlarmBodies } from './alarm-bodies.js';
import { isForAlarms, type Payload } from './subscription.entity.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/**
 * Builds the bodies of pushes: `{type, timestamp, data}`, where `data` is the change as in the feed, a Bundle of FHIR,
 * or a message about an alarm.
 */
@Injectable()
export class PushBodies {
  constructor(
    private readonly feed: FeedEntries,
    private readonly accesses: ValueAccesses,
    private readonly bundles: FhirBundles,
    private readonly alarms: AlarmBodies,
    private readonly clock: Clock,
  ) {}

  /**
   * Bodies by id of the change, without changes that must not be sent. Records the sending of values in the access log
   * before it returns them.
   */
  async of({ id, payload, feed }: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
    if (isForAlarms(payload)) {
      return new Map(changes.map((change) => [cursorOf({ feed, ...change }), this.alarms.of(id, payload, change)]));
    }
    if (payload === 'fhir') return this.asFhir(id, feed, changes);
    const { entries, shown } = await this.feed.of(changes, feed, { kinds: changeKinds, values: payload === 'whole' });
    await this.accesses.recordPushes(id, shown);
    return new Map(
      entries.map((data) => {
        const { id: name, kind, action, time: timestamp } = data;
        return [name, JSON.stringify({ type: `${kind}.${action}`, timestamp, data })];
      }),
    );
  }

  /** Without changes of accounts that are being erased. */
  private async asFhir(
    subscription: string,
    feed: string,
    changes: readonly Change[],
  ): Promise<ReadonlyMap<string, string>> {
    const names = await this.feed.namesOf(changes.flatMap(({ account }) => account ?? []));
    const bodies = new Map<string, string>();
    for (const change of changes) {
      const kind = fhirKinds.find((each) => each === change.kind);
      if (kind === undefined || !names.has(change.account ?? 0)) continue;
      bodies.set(cursorOf({ feed, ...change }), JSON.stringify(await this.bundles.of(kind, change.subject)));
    }
    await this.accesses.recordPushes(subscription, [...names.keys()]);
    return bodies;
  }

  /** Of a test of the subscription, in the same form as its pushes. */
  ofTest({ id, payload }: Pick<SubscriptionRow, 'id' | 'payload'>): string {
    if (isForAlarms(payload)) return this.alarms.ofTest(id, payload);
    return JSON.stringify({ type: 'test', timestamp: toIso(this.clock.now()), data: { subscription_id: id } });
  }

  /** True if bodies of this form need a key that is not configured. */
  lacksKey(payload: Payload): boolean {
    return this.alarms.lacksKey(payload);
  }
}
