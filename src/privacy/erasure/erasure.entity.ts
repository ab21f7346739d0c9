import { Check, Entity, Index } from 'typeorm';
import type { AccountId } from '../../platform/platform/ids.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type Scrub, scrubs } from '../../storage/database/scrubber.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** See erasure.worker.ts for the meaning and order of the states. */
export const erasureStates = ['requested', 'deleting', 'upstream', 'waiting', 'done'] as const;
export type ErasureState = (typeof erasureStates)[number];

/** The receipt and progress of an erasure. It identifies no person, account or upstream user. */
@Entity('erasures')
@Check('erasures_state', oneOf('state', erasureStates))
@Check('erasures_scrub', oneOf('scrub', scrubs))
@Index('erasures_account_ref', ['account_ref'], { unique: true })
@Index('erasures_requested_at', ['requested_at', 'id'])
@Index('erasures_due', ['due_at'], { where: 'due_at IS NOT NULL' })
export class ErasureEntity extends LeaseColumns {
  @TextKey() id: string;
  /** `accounts.id` of the erased account; ids are never reused. */
  @IntColumn() account_ref: AccountId;
  @TextColumn() state: ErasureState;
  @IntColumn() requested_at: number;
  /** Name of the admin key. */
  @TextColumn() requested_by: string;
  /** When it was recorded in the erasure journal; null before, or without a journal. */
  @IntColumn({ nullable: true }) journaled_at: number | null;
  /** When everything was deleted here except the two ids that the deletion upstream needs. */
  @IntColumn({ nullable: true }) deleted_at: number | null;
  /** When upstream had deleted its user and the two ids were deleted here, too. */
  @IntColumn({ nullable: true }) upstream_at: number | null;
  /** When deleted data was scrubbed from the database files; reset to null by every deletion. */
  @IntColumn({ nullable: true }) scrubbed_at: number | null;
  /** Method of the last scrub. */
  @TextColumn({ nullable: true }) scrub: Scrub | null;
  /** When the check after upstream's grace period found that nothing had reappeared. */
  @IntColumn({ nullable: true }) verified_at: number | null;
  /** JSON: number of deleted rows by table. */
  @TextColumn() counts: string;
  /** Failures since the last successful step. */
  @IntColumn() attempts: number;
  /** Null once done. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Reason for the last delay, or the finding; null while there is none. */
  @TextColumn({ nullable: true }) error_code: string | null;
}
