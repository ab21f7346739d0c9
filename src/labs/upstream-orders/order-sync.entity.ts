import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** Position of the walk over upstream's order list; one row. States: order-sync.worker.ts. */
@Entity('order_sync')
export class OrderSyncEntity extends LeaseColumns {
  /** Always 1. */
  @IntKey() id: number;
  /** Every order updated before this time has been read; null before the first complete pass. */
  @IntColumn({ nullable: true }) high_water_mark: number | null;
  /** Fixed lower bound of the current pass; null means all orders. */
  @IntColumn({ nullable: true }) window_start: number | null;
  /** Null between passes. */
  @IntColumn({ nullable: true }) pass_started_at: number | null;
  /** Next page, from 1. */
  @IntColumn() page: number;
  /** Unreadable orders skipped in the current or last pass. */
  @IntColumn({ default: 0 }) unreadable: number;
  @IntColumn() due_at: number;
  /** Attempts since the last successful page. */
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
