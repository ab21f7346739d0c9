import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { KeyColumns } from '../../storage/work/lease-columns.js';

/**
 * calling: a call may be in progress · unknown: a call ended without an outcome · refused: nothing was placed, and the
 * key may be used with a corrected body · placed: the order is known. See placing.service.ts.
 */
export const placementStates = ['calling', 'unknown', 'refused', 'placed'] as const;
export type PlacementState = (typeof placementStates)[number];

/** A caller's idempotency key and its outcome. Reveals nothing about the body. */
@Entity('order_placements')
@Check('order_placements_state', oneOf('state', placementStates))
@Index('order_placements_placement_id', ['placement_id'], { unique: true })
@Index('order_placements_account_id', ['account_id'])
@Index('order_placements_state_created', ['state', 'created_at'])
export class OrderPlacementEntity extends KeyColumns {
  /** Our UUID: the idempotency key for upstream, and the correlation id if the caller sent no `passthrough`. */
  @TextColumn() placement_id: string;
  @AccountColumn('order_placements_account') account_id: number;
  @TextColumn() state: PlacementState;
  /** Equal only for equal bodies (http/server/idempotency-key.ts). */
  @TextColumn() fingerprint: string;
  /** Start of the first call with an unknown outcome; null if there is none. */
  @IntColumn({ nullable: true }) open_since: number | null;
  @TextColumn({ nullable: true }) order_id: string | null;
  @IntColumn({ nullable: true }) placed_at: number | null;
}
