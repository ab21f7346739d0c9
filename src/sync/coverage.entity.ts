import { Entity, ForeignKey } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { IntColumn, IntKey, TextKey } from '../database/columns.js';

/** A stretch of time pulled whole. Stretches of one stream do not overlap; touching ones are merged. */
@Entity('coverage')
export class CoverageEntity {
  @ForeignKey(() => AccountEntity, { name: 'coverage_account' })
  @IntKey()
  account_id: number;
  /** Empty for a pull over every source. */
  @TextKey() provider: string;
  @TextKey() resource: string;
  @IntKey() range_start: number;
  @IntColumn() range_end: number;
  /** When the pull that confirmed it began; the older one where stretches were merged. */
  @IntColumn() confirmed_at: number;
}
