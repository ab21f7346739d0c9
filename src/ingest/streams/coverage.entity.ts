import { Check, Entity, ForeignKey } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * fresh: devices may still send data for the range · settled: pulled at least the look-back after it · proven: settled,
 * and upstream had no data that is not stored (proof.ts). A range never returns to an earlier state.
 */
export const coverageStates = ['fresh', 'settled', 'proven'] as const;
export type CoverageState = (typeof coverageStates)[number];

/**
 * A completely pulled time range. Ranges of one stream do not overlap; adjacent ranges that are settled or proven are
 * merged.
 */
@Entity('coverage')
@Check('coverage_state', oneOf('state', coverageStates))
export class CoverageEntity {
  @ForeignKey(() => AccountEntity, { name: 'coverage_account' })
  @IntKey()
  account_id: number;
  /** Empty for a pull over every source. Ranges that such a pull proves are stored per source. */
  @TextKey() provider: string;
  @TextKey() resource: string;
  @IntKey() range_start: number;
  @IntColumn() range_end: number;
  /** Start of the pull that confirmed the range; of merged ranges, the earliest. */
  @IntColumn() confirmed_at: number;
  @TextColumn() state: CoverageState;
}
