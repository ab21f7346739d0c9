import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount, personalRows } from '../declarations/personal-data.js';
import { ChangeEntity, ChangeFeedEntity, PendingChangeEntity, ResourceChangeEntity } from './change.entity.js';

/** Expressions for statements of other rooms: number of the newest change, and id of the feed. */
export const newestOfFeed = {
  number: '(SELECT last_number FROM change_feed WHERE id = 1)',
  id: '(SELECT feed FROM change_feed WHERE id = 1)',
} as const;

export const changeLogDeclarations: RoomDeclarations = {
  entities: [PendingChangeEntity, ChangeEntity, ResourceChangeEntity, ChangeFeedEntity],
  // Pending changes first, so that a change that is numbered in between is still found.
  personal: [
    personalRows(PendingChangeEntity, byAccount, { as: 'change', without: ['id'] }),
    personalRows(ChangeEntity, byAccount, { as: 'change', without: ['number'] }),
    personalRows(ResourceChangeEntity, byAccount, { as: 'resource_change' }),
  ],
  kept: { change_feed: 'the id of the feed and its newest and oldest number; no personal data' },
  figures: {
    database_departed_at: 'SELECT departed_at FROM change_feed WHERE id = 1 AND departed_at >= :day',
  },
};
