import { Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/**
 * A user in events who has no account here, by upstream's id or, if the event has none, by the customer's. States:
 * owner-lookups.worker.ts.
 */
@Entity('owner_lookups')
@Index('owner_lookups_user_id', ['user_id'], { unique: true })
@Index('owner_lookups_client_user_id', ['client_user_id'], { unique: true })
@Index('owner_lookups_due', ['due_at', 'id'], { where: 'due_at IS NOT NULL' })
@Index('owner_lookups_answered', ['id'], { where: 'due_at IS NULL AND awaited = 1' })
@Index('owner_lookups_refused', ['refused_until'], { where: 'refused_until IS NOT NULL' })
export class OwnerLookupEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  /** Upstream's user id in lower case. */
  @TextColumn({ nullable: true }) user_id: string | null;
  @TextColumn({ nullable: true }) client_user_id: string | null;
  /** Null once upstream has responded. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  /** 1 while messages may wait for the result. */
  @IntColumn() awaited: number;
  /** Until then, `error_code` is the result and upstream is not called again. */
  @IntColumn({ nullable: true }) refused_until: number | null;
}
