import { Check, Entity } from 'typeorm';
import { IntColumn, oneOf, TextColumn, TextKey } from '../database/columns.js';
import { LeaseColumns } from './lease-columns.js';

/** Upstream's lists that are read to their end again and again. */
export const walkNames = ['ingestion_state', 'order_list', 'source_priorities', 'unmatched_results'] as const;
export type WalkName = (typeof walkNames)[number];

/** Progress through one of upstream's lists; the baseline migration stores a row for each. */
@Entity('walks')
@Check('walks_name', oneOf('name', walkNames))
export class WalkEntity extends LeaseColumns {
  @TextKey() name: WalkName;
  /** Null between walks. */
  @IntColumn({ nullable: true }) started_at: number | null;
  /** Pages read in this walk. */
  @IntColumn({ default: 0 }) pages: number;
  /** Upstream's cursor of the next page; null for the first, and for a list with page numbers. */
  @TextColumn({ nullable: true }) next_cursor: string | null;
  /** Orders only: every order updated before this time has been read; null before the first complete walk. */
  @IntColumn({ nullable: true }) high_water_mark: number | null;
  /** Orders only: fixed lower bound of the current walk; null means all orders. */
  @IntColumn({ nullable: true }) window_start: number | null;
  /** Unreadable items skipped in the current or last walk. */
  @IntColumn({ default: 0 }) unreadable: number;
  @IntColumn({ default: 0 }) due_at: number;
  /** Attempts since the last successful page. */
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
