import { Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/**
 * A user in events without an account here, by upstream's id or, if the event has none, the customer's.
 * owner-lookups.worker.ts describes the states.
 */
@Entity('owner_lookups')
@Index('owner_lookups_user_id', ['user_id'], { unique: true })
@Index('owner_lookups_client_user_id', ['client_user_id'], { unique: true })
@Index('owner_lookups_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('owner_lookups_answered', ['id'], { where: 'due_at IS NULL AND awaited = 1' })
@Index('owner_lookups_refused', ['refused_until'], { where: 'refused_until IS NOT NULL' })
export class OwnerLookupEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  /** The upstream user, lower case. */
  @TextColumn({ nullable: true }) user_id: string | null;
  @TextColumn({ nullable: true }) client_user_id: string | null;
  /** Null once upstream has answered. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  /** 1 while messages may wait for the answer. */
  @IntColumn() awaited: number;
  /** Until when `error_code` is the answer and upstream is not asked again. */
  @IntColumn({ nullable: true }) refused_until: number | null;
}
