import { Injectable } from '@nestjs/common';
import { type Change, changeKinds } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { FeedEntries } from '../feed/feed-entries.service.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/** Bodies of pushes: `{type, timestamp, data}`, where `data` is the change as the feed shows it. */
@Injectable()
export class PushBodies {
  constructor(private readonly feed: FeedEntries) {}

  /** By the id of the change. */
  async of({ payload, feed }: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
    if (payload === 'text') {
      return new Map(
        changes.map((change) => [cursorOf({ feed, ...change }), JSON.stringify({ text: sentenceOf(change) })]),
      );
    }
    const { entries } = await this.feed.of(changes, feed, { kinds: changeKinds, values: payload === 'whole' });
    return new Map(
      entries.map((data) => {
        const { id, kind, action, time: timestamp } = data;
        return [id, JSON.stringify({ type: `${kind}.${action}`, timestamp, data })];
      }),
    );
  }
}

/** For a chat. */
export function sentenceOf({ action, subject }: Pick<Change, 'action' | 'subject'>): string {
  const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
  return `Pulsekeep: the alarm ${subject} ${state}. See docs/runbook.md#${subject}.`;
}
