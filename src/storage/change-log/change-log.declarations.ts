import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount } from '../declarations/personal-data.js';
import { ChangeEntity, ChangeFeedEntity, PendingChangeEntity, ResourceChangeEntity } from './change.entity.js';

/** Values for statements of other rooms: number of the newest change, and id of the feed. */
export const newestOfFeed = {
  number: '(SELECT last_number FROM change_feed WHERE id = 1)',
  id: '(SELECT feed FROM change_feed WHERE id = 1)',
} as const;

export const changeLogDeclarations: RoomDeclarations = {
  entities: [PendingChangeEntity, ChangeEntity, ResourceChangeEntity, ChangeFeedEntity],
  // Pending changes first: one that is numbered in between is then found among the numbered ones.
  personal: [
    {
      table: 'pending_changes',
      key: ['id'],
      paths: byAccount,
      exported: { as: 'change', without: ['id'] },
    },
    { table: 'changes', key: ['number'], paths: byAccount, exported: { as: 'change', without: ['number'] } },
    {
      table: 'resource_changes',
      key: ['account_id', 'resource', 'provider'],
      paths: byAccount,
      exported: { as: 'resource_change' },
    },
  ],
  kept: { change_feed: 'the id of the feed and its newest and oldest number; no personal data' },
};
