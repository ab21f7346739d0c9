import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { IngestionWalkEntity } from './ingestion-walk.entity.js';
import { SourcePriorityReadsEntity } from './source-priority-reads.entity.js';

export const ingestionStateDeclarations: RoomDeclarations = {
  entities: [IngestionWalkEntity, SourcePriorityReadsEntity],
  kept: {
    ingestion_walk: "position in upstream's ingestion state; no personal data",
    source_priority_reads: "schedule for reading upstream's source priorities",
  },
  waiting: {
    ingestion_walk: `SELECT error_code AS error, COUNT(*) AS count FROM ingestion_walk
      WHERE error_code IS NOT NULL GROUP BY error_code ORDER BY error_code`,
  },
};
