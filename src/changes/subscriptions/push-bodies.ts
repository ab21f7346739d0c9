import { Injectable } from '@nestjs/common';
import { toIso } from '../../platform/platform/time.js';
import type { Change } from '../log/change.js';
import { cursorOf } from '../log/cursor.js';
import { PushesRepository } from './pushes.repository.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

/** Bodies of pushes: `{type, timestamp, data}`, where `data` is the change as the feed shows it. */
@Injectable()
export class PushBodies {
  constructor(private readonly pushes: PushesRepository) {}

  /** By the number of the change. */
  async of(row: SubscriptionRow, changes: readonly Change[]): Promise<ReadonlyMap<number, string>> {
    if (row.payload === 'text')
      return new Map(changes.map((change) => [change.number, JSON.stringify({ text: sentenceOf(change) })]));
    const names = await this.pushes.externalIds(changes.flatMap(({ account }) => account ?? []));
    return new Map(
      changes.map((change) => {
        const { number, at, kind, action, origin, account, subject, resource, provider } = change;
        const id = cursorOf({ feed: row.feed, number, at });
        const account_id = account === null ? null : (names.get(account) ?? null);
        const data = { id, at: toIso(at), kind, action, origin, account_id, subject, resource, provider };
        return [number, JSON.stringify({ type: `${kind}.${action}`, timestamp: toIso(at), data })];
      }),
    );
  }
}

/** For a chat. */
export function sentenceOf({ action, subject }: Pick<Change, 'action' | 'subject'>): string {
  const state = action === 'gone' ? 'is over' : action === 'created' ? 'is raised' : 'has changed';
  return `Pulsekeep: the alarm ${subject} ${state}. See docs/runbook.md#${subject}.`;
}
