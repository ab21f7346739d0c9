import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { IngestionWalkEntity } from './ingestion-walk.entity.js';

export const ingestionStateDeclarations: RoomDeclarations = {
  entities: [IngestionWalkEntity],
  kept: { ingestion_walk: "how far upstream's ingestion has been read; nobody is named" },
  waiting: {
    ingestion_walk: `SELECT error_code AS error, COUNT(*) AS count FROM ingestion_walk
      WHERE error_code IS NOT NULL GROUP BY error_code ORDER BY error_code`,
  },
};
