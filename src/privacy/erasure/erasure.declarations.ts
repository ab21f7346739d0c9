import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { ErasureEntity } from './erasure.entity.js';

export const erasureDeclarations: RoomDeclarations = {
  entities: [ErasureEntity],
  kept: { erasures: 'the receipts: an account number that no longer identifies anyone, times and counts' },
  figures: {
    erasures_held_up: `SELECT COUNT(*) FROM erasures WHERE due_at IS NOT NULL
      AND (attempts + waits >= 5 OR error_code IN ('user_found', 'rows_found'))`,
  },
};
