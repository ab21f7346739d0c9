import { Check, Entity, Index } from 'typeorm';
import type { AccountId } from '../../platform/platform/ids.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { type Scrub, scrubs } from '../../storage/database/scrubber.js';

/** erasure.worker.ts says what the states mean and how they follow each other. */
export const erasureStates = ['requested', 'deleting', 'upstream', 'waiting', 'done'] as const;
export type ErasureState = (typeof erasureStates)[number];

/** The receipt of an erasure and where it stands. It names no person, account or upstream user. */
@Entity('erasures')
@Check('erasures_state', oneOf('state', erasureStates))
@Check('erasures_scrub', oneOf('scrub', scrubs))
@Index('erasures_account_ref', ['account_ref'], { unique: true })
@Index('erasures_requested_at', ['requested_at', 'id'])
@Index('erasures_due', ['due_at'], { where: 'due_at IS NOT NULL' })
export class ErasureEntity {
  @TextKey() id: string;
  /** `accounts.id` of the account there was: counted up and never given out again. */
  @IntColumn() account_ref: AccountId;
  @TextColumn() state: ErasureState;
  @IntColumn() requested_at: number;
  /** Name of the admin key. */
  @TextColumn() requested_by: string;
  /** When nothing was left here but the two ids, which upstream's deletion needs. */
  @IntColumn({ nullable: true }) deleted_at: number | null;
  /** When upstream had deleted its user and the two ids were deleted here. */
  @IntColumn({ nullable: true }) upstream_at: number | null;
  /** When the files of the database were rid of what had been deleted; null after every deletion. */
  @IntColumn({ nullable: true }) scrubbed_at: number | null;
  /** What was done then. */
  @TextColumn({ nullable: true }) scrub: Scrub | null;
  /** When it was found, after upstream's days of grace, that nothing had come back. */
  @IntColumn({ nullable: true }) verified_at: number | null;
  /** JSON: rows deleted, by table. */
  @TextColumn() counts: string;
  /** Failures since the last step that worked. */
  @IntColumn() attempts: number;
  /** Null once done. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** How often in a row upstream or the store could not serve it; such a try is given back. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
  /** Why it was put off last, or what was found; null while all goes well. */
  @TextColumn({ nullable: true }) error_code: string | null;
}
