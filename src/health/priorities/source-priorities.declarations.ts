import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount } from '../../storage/declarations/personal-data.js';
import { AccountSourcePriorityEntity, SourcePriorityEntity } from './source-priority.entity.js';

export const sourcePrioritiesDeclarations: RoomDeclarations = {
  entities: [SourcePriorityEntity, AccountSourcePriorityEntity],
  personal: [
    {
      table: 'account_source_priorities',
      key: ['account_id', 'data_type'],
      paths: byAccount,
      exported: { as: 'source_priority', json: ['sources'] },
    },
  ],
  kept: { source_priorities: 'the order of sources for all accounts; nobody is named' },
};
