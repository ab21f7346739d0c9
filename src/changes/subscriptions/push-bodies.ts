import { Injectable } from '@nestjs/common';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { HttpConfig } from '../../platform/config/config.js';
import { changeKinds } from '../../platform/config/feed-scope.js';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import { type Change } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import { FeedEntries } from '../feed/feed-entries.service.js';
import { chatBody } from './chat-message.js';
import { type ChatPayload, isChat } from './subscription.entity.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/**
 * Builds the bodies of pushes: `{type, timestamp, data}`, where `data` is the change as in the feed, or a message for a
 * chat.
 */
@Injectable()
export class PushBodies {
  constructor(
    private readonly feed: FeedEntries,
    private readonly accesses: ValueAccesses,
    private readonly declarations: Declarations,
    private readonly http: HttpConfig,
    private readonly clock: Clock,
  ) {}

  /** Bodies by id of the change. Records the sending of values in the access log before it returns them. */
  async of({ id, payload, feed }: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
    if (isChat(payload)) {
      return new Map(changes.map((change) => [cursorOf({ feed, ...change }), this.ofAlarm(payload, change)]));
    }
    const { entries, shown } = await this.feed.of(changes, feed, { kinds: changeKinds, values: payload === 'whole' });
    await this.accesses.recordPushes(id, shown);
    return new Map(
      entries.map((data) => {
        const { id: name, kind, action, time: timestamp } = data;
        return [name, JSON.stringify({ type: `${kind}.${action}`, timestamp, data })];
      }),
    );
  }

  /** Of a test of the subscription, in the same form as its pushes. */
  ofTest({ id, payload }: Pick<SubscriptionRow, 'id' | 'payload'>): string {
    if (isChat(payload)) return chatBody(payload, { text: 'Pulsekeep: this is a test.', link: this.console });
    return JSON.stringify({ type: 'test', timestamp: toIso(this.clock.now()), data: { subscription_id: id } });
  }

  private get console(): string | null {
    const { publicUrl } = this.http;
    return publicUrl === undefined ? null : `${publicUrl}/console`;
  }

  private ofAlarm(payload: ChatPayload, { action, subject }: Change): string {
    const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
    const { severity = 'warning', message = '', action: toDo = '' } = this.declarations.alarmTexts[subject] ?? {};
    const about = action === 'gone' ? '' : ` ${message} ${toDo}`;
    const text = `Pulsekeep: the alarm ${subject} (${severity}) ${state}.${about} See docs/runbook.md#${subject}.`;
    return chatBody(payload, { text, link: this.console });
  }
}
