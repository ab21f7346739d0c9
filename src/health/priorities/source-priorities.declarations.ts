import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { SourcePriorityEntity } from './source-priority.entity.js';

const isRead = `account_id = 0 AND origin = 'upstream'`;

export const sourcePrioritiesDeclarations: RoomDeclarations = {
  entities: [SourcePriorityEntity],
  personal: [
    personalRows(SourcePriorityEntity, byAccount, {
      as: 'source_priority',
      json: ['sources'],
      without: ['origin', 'unreadable'],
    }),
  ],
  figures: {
    priorities_set: `SELECT COUNT(*) FROM source_priorities WHERE account_id = 0 AND origin = 'operator'`,
    priorities_unreadable: `SELECT CAST(COALESCE(SUM(unreadable), 0) AS bigint) FROM source_priorities WHERE ${isRead}`,
    priorities_read_at: `SELECT MIN(changed_at) FROM source_priorities WHERE ${isRead}`,
  },
};
