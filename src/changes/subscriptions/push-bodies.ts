import { Injectable } from '@nestjs/common';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { FhirBundles, fhirKinds } from '../../labs/results/fhir-bundles.service.js';
import { HttpConfig, PushConfig } from '../../platform/config/config.js';
import { changeKinds } from '../../platform/config/feed-scope.js';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import { type Change } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import { FeedEntries } from '../feed/feed-entries.service.js';
import { alarmBody } from './alarm-message.js';
import { type AlarmPayload, isForAlarms, type Payload } from './subscription.entity.js';
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
    private readonly declarations: Declarations,
    private readonly http: HttpConfig,
    private readonly push: PushConfig,
    private readonly clock: Clock,
    private readonly bundles: FhirBundles,
  ) {}

  /**
   * Bodies by id of the change, without changes that must not be sent. Records the sending of values in the access log
   * before it returns them.
   */
  async of({ id, payload, feed }: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
    if (isForAlarms(payload)) {
      return new Map(changes.map((change) => [cursorOf({ feed, ...change }), this.ofAlarm(id, payload, change)]));
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
    if (isForAlarms(payload)) {
      const text = 'Pulsekeep: this is a test.';
      const about = { key: `${id}/test`, code: 'test', severity: 'info', isOver: false, summary: text, text } as const;
      return alarmBody(payload, { ...about, ...this.common });
    }
    return JSON.stringify({ type: 'test', timestamp: toIso(this.clock.now()), data: { subscription_id: id } });
  }

  /** True if bodies of this form need a key that is not configured. */
  lacksKey(payload: Payload): boolean {
    return payload === 'pagerduty' && this.push.pagerDutyRoutingKey === undefined;
  }

  private get common(): { link: string | null; routingKey: string } {
    const { publicUrl } = this.http;
    const link = publicUrl === undefined ? null : `${publicUrl}/console`;
    return { link, routingKey: this.push.pagerDutyRoutingKey?.reveal() ?? '' };
  }

  private ofAlarm(subscription: string, payload: AlarmPayload, { action, subject: code }: Change): string {
    const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
    const { severity = 'warning', message = '', action: toDo = '' } = this.declarations.alarmTexts[code] ?? {};
    const isOver = action === 'gone';
    const about = isOver ? '' : ` ${message} ${toDo}`;
    const text = `Pulsekeep: the alarm ${code} (${severity}) ${state}.${about} See docs/runbook.md#${code}.`;
    const key = `${subscription}/${code}`;
    return alarmBody(payload, { key, code, severity, isOver, summary: message, text, ...this.common });
  }
}
