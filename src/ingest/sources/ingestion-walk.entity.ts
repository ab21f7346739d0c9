import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** Position of the walk over upstream's ingestion state; one row. States: ingestion-state.worker.ts. */
@Entity('ingestion_walk')
export class IngestionWalkEntity extends LeaseColumns {
  /** Always 1. */
  @IntKey() id: number;
  /** Cursor of the next page; null for the first. */
  @TextColumn({ nullable: true }) next_cursor: string | null;
  /** Null between walks. */
  @IntColumn({ nullable: true }) walk_started_at: number | null;
  /** Pages read in this walk. */
  @IntColumn({ default: 0 }) pages: number;
  @IntColumn() due_at: number;
  /** Attempts since the last successful page. */
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
