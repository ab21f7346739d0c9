import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';

/** A condition on `historical_pulls p`: upstream has not ended a pull that was scheduled by then (SQL). */
export const isStuck = (then: string): string =>
  `p.status IN ('scheduled', 'in_progress', 'retrying') AND COALESCE(p.scheduled_at, p.observed_at) <= ${then}`;

/**
 * Upstream's latest report of its own pull of a source's history (docs/upstream/introspection.md#historical-pulls).
 * Upstream may add values of `status`.
 */
@Entity('historical_pulls')
@Index('historical_pulls_status', ['status', 'account_id'])
@Index('historical_pulls_status_at', ['status', 'observed_at', 'scheduled_at'])
export class HistoricalPullEntity {
  @ForeignKey(() => AccountEntity, { name: 'historical_pulls_account' })
  @IntKey()
  account_id: number;
  @TextKey() provider: string;
  /** Upstream's event name of the resource. */
  @TextKey() resource: string;
  @TextColumn() status: string;
  @IntColumn({ nullable: true }) days_with_data: number | null;
  @IntColumn({ nullable: true }) range_start: number | null;
  @IntColumn({ nullable: true }) range_end: number | null;
  @TextColumn({ nullable: true }) release: string | null;
  @TextColumn({ nullable: true }) trace_id: string | null;
  @TextColumn({ nullable: true }) error_details: string | null;
  @IntColumn({ nullable: true }) scheduled_at: number | null;
  @IntColumn({ nullable: true }) started_at: number | null;
  @IntColumn({ nullable: true }) ended_at: number | null;
  /** Our task that fetches the data of this pull; null if there is nothing to fetch yet. */
  @IntColumn({ nullable: true }) task_id: number | null;
  /** When this state was first seen. */
  @IntColumn() observed_at: number;
}
