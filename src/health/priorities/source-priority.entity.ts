import { Check, Entity } from 'typeorm';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * upstream: the team's list as last read · operator: the list that replaces it in this deployment · account: the list
 * that replaces both for one account.
 */
const priorityOrigins = ['upstream', 'operator', 'account'] as const;
export type PriorityOrigin = (typeof priorityOrigins)[number];

/** A list of sources, best first. */
@Entity('source_priorities')
@Check('source_priorities_origin', oneOf('origin', priorityOrigins))
export class SourcePriorityEntity {
  /** 0 for a list for all accounts. */
  @IntKey() account_id: number;
  @TextKey() data_type: string;
  @TextKey() origin: PriorityOrigin;
  /** JSON: `PreferredSource[]`. */
  @TextColumn() sources: string;
  /** Number of entries that could not be read. */
  @IntColumn() unreadable: number;
  @IntColumn() changed_at: number;
  /** Name of the key; null for upstream's list. */
  @TextColumn({ nullable: true }) changed_by: string | null;
}
