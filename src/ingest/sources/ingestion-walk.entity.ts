import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** Position of the walk over upstream's ingestion state; one row. States: ingestion-state.worker.ts. */
@Entity('ingestion_walk')
export class IngestionWalkEntity extends LeaseColumns {
  /** Always 1. */
  @IntKey() id: number;
  /** Of the page to read next; null for the first. */
  @TextColumn({ nullable: true }) next_cursor: string | null;
  /** Null between two walks. */
  @IntColumn({ nullable: true }) walk_started_at: number | null;
  /** Pages of this walk that were read. */
  @IntColumn({ default: 0 }) pages: number;
  @IntColumn() due_at: number;
  /** Tries since the last page that worked. */
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
