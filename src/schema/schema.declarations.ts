import type { RoomDeclarations } from '../declarations/declarations.js';

export const schemaDeclarations: RoomDeclarations = {
  kept: { instance: 'the region, environment and team of the database; nobody is named' },
  figures: { stamped_at: 'SELECT stamped_at FROM instance WHERE id = 1' },
};
