import { Injectable } from '@nestjs/common';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { type Change, changeKinds } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { FeedEntries } from '../feed/feed-entries.service.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/** Builds the bodies of pushes: `{type, timestamp, data}`, where `data` is the change as in the feed, or `{text}`. */
@Injectable()
export class PushBodies {
  constructor(
    private readonly feed: FeedEntries,
    private readonly accesses: ValueAccesses,
  ) {}

  /** Bodies by id of the change. Records the sending of values in the access log before it returns them. */
  async of({ id, payload, feed }: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
    if (payload === 'text') {
      return new Map(
        changes.map((change) => [cursorOf({ feed, ...change }), JSON.stringify({ text: sentenceOf(change) })]),
      );
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
}

/** Sentence about an alarm, for chats. */
export function sentenceOf({ action, subject }: Pick<Change, 'action' | 'subject'>): string {
  const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
  return `Pulsekeep: the alarm ${subject} ${state}. See docs/runbook.md#${subject}.`;
}
