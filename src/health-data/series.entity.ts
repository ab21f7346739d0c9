import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, TextColumn } from '../database/columns.js';

/**
 * Everything of a sample's natural key but its time (docs/upstream/timeseries.md#key-of-a-sample): samples name it by
 * one number. What upstream leaves out is the empty text, so that the unique index is safe against nulls.
 */
@Entity('series')
@Index(
  'series_natural_key',
  ['account_id', 'resource', 'provider', 'source_type', 'device_id', 'workout_id', 'sport', 'sub_series'],
  { unique: true },
)
export class SeriesEntity {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountEntity, { name: 'series_account' })
  @IntColumn()
  account_id: number;
  @TextColumn() resource: string;
  @TextColumn() provider: string;
  @TextColumn() source_type: string;
  @TextColumn() device_id: string;
  @TextColumn() workout_id: string;
  @TextColumn() sport: string;
  @TextColumn() sub_series: string;
  /**
   * 1 where the provider writes local time with a false UTC offset (docs/upstream/timeseries.md#floating-time):
   * flagged, not converted.
   */
  @IntColumn() floating_time: number;
  @IntColumn() created_at: number;
}
