import { Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, IntKey, RealColumn, TextColumn } from '../database/columns.js';
import { SeriesEntity } from './series.entity.js';

/** A timeseries point, clustered by series and time. */
@Entity('samples')
export class SampleEntity {
  @ForeignKey(() => SeriesEntity, { name: 'samples_series' })
  @IntKey()
  series_id: number;
  @IntKey() time: number;
  /** The number; systolic for blood pressure; null for a text. */
  @RealColumn({ nullable: true }) value: number | null;
  /** Diastolic. */
  @RealColumn({ nullable: true }) value2: number | null;
  @TextColumn({ nullable: true }) text_value: string | null;
  /** End minus start for intervals. */
  @IntColumn({ nullable: true }) duration_ms: number | null;
  @IntColumn() attributes_id: number;
  @IntColumn() observation_id: number;
}

/**
 * Unit, offset and the rarer fields of samples as canonical JSON. Few combinations exist, so each is stored once; those
 * that may say something of a person (series-index.repository.ts) once for each account, to be erased with it. The unit
 * is here and not in the series: a corrected unit replaces the sample instead of standing beside it.
 */
@Entity('sample_attributes')
@Index('sample_attributes_content', ['content', 'account_id'], { unique: true })
@Index('sample_attributes_account_id', ['account_id'], { where: 'account_id <> 0' })
export class SampleAttributesEntity {
  @AutoIncrementKey() id: number;
  @TextColumn() content: string;
  /** `accounts.id`, or 0 for what all share. */
  @IntColumn({ default: 0 }) account_id: number;
}
