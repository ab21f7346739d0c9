import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { AccountSourcePriorityEntity, SourcePriorityEntity } from './source-priority.entity.js';

const isRead = `origin = 'upstream'`;

export const sourcePrioritiesDeclarations: RoomDeclarations = {
  entities: [SourcePriorityEntity, AccountSourcePriorityEntity],
  personal: [personalRows(AccountSourcePriorityEntity, byAccount, { as: 'source_priority', json: ['sources'] })],
  figures: {
    priorities_set: `SELECT COUNT(*) FROM source_priorities WHERE origin = 'operator'`,
    priorities_unreadable: `SELECT CAST(COALESCE(SUM(unreadable), 0) AS bigint) FROM source_priorities WHERE ${isRead}`,
    priorities_read_at: `SELECT MIN(changed_at) FROM source_priorities WHERE ${isRead}`,
  },
  kept: { source_priorities: 'the order of sources for all accounts; no personal data' },
};
