import { Check, Entity } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/** upstream: the team's list as last read · operator: the list that replaces it in this deployment. */
export const priorityOrigins = ['upstream', 'operator'] as const;
export type PriorityOrigin = (typeof priorityOrigins)[number];

/** A list of sources, best first, for all accounts. */
@Entity('source_priorities')
@Check('source_priorities_origin', oneOf('origin', priorityOrigins))
export class SourcePriorityEntity {
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

/** The list of one account. */
@Entity('account_source_priorities')
export class AccountSourcePriorityEntity {
  @AccountColumn('account_source_priorities_account', IntKey()) account_id: number;
  @TextKey() data_type: string;
  /** JSON: `PreferredSource[]`. */
  @TextColumn() sources: string;
  @IntColumn() changed_at: number;
  /** Name of the key. */
  @TextColumn() changed_by: string;
}
