import type { RoomDeclarations } from '../declarations/declarations.js';
import { DatabaseIdentityEntity } from './database-identity.entity.js';

export const schemaDeclarations: RoomDeclarations = {
  entities: [DatabaseIdentityEntity],
  kept: { database_identity: 'the region, environment and team of the database; nobody is named' },
  figures: { stamped_at: 'SELECT stamped_at FROM database_identity WHERE id = 1' },
};
