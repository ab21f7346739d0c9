import type { RoomDeclarations } from '../declarations/declarations.js';

export const schemaDeclarations: RoomDeclarations = {
  kept: { database_identity: 'the region, environment and team of the database; nobody is named' },
  figures: { stamped_at: 'SELECT stamped_at FROM database_identity WHERE id = 1' },
};
