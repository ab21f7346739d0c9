import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';

/** Where the walk over upstream's list of orders stands; one row. The states are those of order-sync.worker.ts. */
@Entity('order_sync')
export class OrderSyncEntity {
  /** Always 1. */
  @IntKey() id: number;
  /** Every order updated before it has been seen; null before the first whole pass. */
  @IntColumn({ nullable: true }) high_water_mark: number | null;
  /** Frozen lower end of the pass under way; null means all orders. */
  @IntColumn({ nullable: true }) window_start: number | null;
  /** Null between two passes. */
  @IntColumn({ nullable: true }) pass_started_at: number | null;
  /** The page to read next, from 1. */
  @IntColumn() page: number;
  /** Orders of the pass under way, or of the last one, that could not be read and were passed over. */
  @IntColumn({ default: 0 }) unreadable: number;
  @IntColumn() due_at: number;
  /** Tries since the last page that worked. */
  @IntColumn() attempts: number;
  /** How often in a row upstream or the store could not serve it; such a try is given back. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
}
