import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../database/columns.js';

/** A summary object by its upstream id, with the object as it came. */
@Entity('summaries')
@Index('summaries_time', ['account_id', 'resource', 'time', 'summary_id'])
@Index(
  'summaries_day',
  ['account_id', 'resource', 'calendar_date', 'provider', 'version', 'observation_id', 'summary_id'],
  { where: 'calendar_date IS NOT NULL' },
)
export class SummaryEntity {
  @ForeignKey(() => AccountEntity, { name: 'summaries_account' })
  @IntKey()
  account_id: number;
  @TextKey() resource: string;
  @TextKey() summary_id: string;
  @IntColumn() time: number;
  @IntColumn({ nullable: true }) end_time: number | null;
  @TextColumn({ nullable: true }) calendar_date: string | null;
  @TextColumn() provider: string;
  @TextColumn() source_type: string;
  @IntColumn() floating_time: number;
  /** Upstream's `updated_at`: an older one never replaces a newer one. */
  @IntColumn() version: number;
  @IntColumn() observation_id: number;
  /** JSON text. */
  @TextColumn() raw: string;
}
