import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { KeyColumns } from '../../storage/work/lease-columns.js';

/**
 * calling: a call to upstream may be under way · unknown: one ended without an outcome · refused: upstream
 * placed nothing, the key is free for a corrected body · placed: the order is known. See placing.service.ts.
 */
export const placementStates = ['calling', 'unknown', 'refused', 'placed'] as const;
export type PlacementState = (typeof placementStates)[number];

/** An operator's idempotency key and its outcome. Reveals nothing of the order's body. */
@Entity('order_placements')
@Check('order_placements_state', oneOf('state', placementStates))
@Index('order_placements_placement_id', ['placement_id'], { unique: true })
@Index('order_placements_account_id', ['account_id'])
@Index('order_placements_state_created', ['state', 'created_at'])
export class OrderPlacementEntity extends KeyColumns {
  /** Our uuid: the idempotency key for upstream, and the mark of the order if the caller gave none. */
  @TextColumn() placement_id: string;
  @AccountColumn('order_placements_account') account_id: number;
  @TextColumn() state: PlacementState;
  /** Equal only for equal bodies (http/server/idempotency-key.ts). */
  @TextColumn() fingerprint: string;
  /** When the first call with an unknown outcome began; null when there is none. */
  @IntColumn({ nullable: true }) open_since: number | null;
  @TextColumn({ nullable: true }) order_id: string | null;
  @IntColumn({ nullable: true }) placed_at: number | null;
}
