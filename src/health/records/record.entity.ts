import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import {
  AutoIncrementKey,
  IntColumn,
  IntKey,
  oneOf,
  RealColumn,
  TextColumn,
  TextKey,
} from '../../storage/database/columns.js';
import { type ObservationKind, observationKinds, type Sample } from '../catalogue/records.js';

/**
 * All of a sample's key except its time (docs/upstream/timeseries.md#key-of-a-sample). Samples reference it by one
 * number.
 */
@Entity('series')
@Index('series_natural_key', ['account_id', 'resource', 'provider', 'source_type', 'sub_series'], { unique: true })
@Index('series_of_resource', ['resource', 'account_id', 'provider', 'source_type', 'sub_series'])
export class SeriesEntity {
  @AutoIncrementKey() id: number;
  @AccountColumn('series_account') account_id: number;
  @TextColumn() resource: string;
  @TextColumn() provider: string;
  @TextColumn() source_type: string;
  /** The `type` of its points; '' if they have none. */
  @TextColumn() sub_series: string;
  /**
   * 1 if the provider writes local time with a false UTC offset (docs/upstream/timeseries.md#floating-time). Such times
   * are flagged, not converted.
   */
  @IntColumn() floating_time: number;
  @IntColumn() created_at: number;
  /** Time of the newest sample that was ever hidden; null if none was. */
  @IntColumn({ nullable: true }) gone_until: number | null;
  /** Unit and place of measurement of its first samples (`measureOf`) as JSON; null before the first one. */
  @TextColumn({ nullable: true }) measure: string | null;
  /**
   * 1 once samples with another unit or place were stored, so that its numbers must not be taken together as they are.
   */
  @IntColumn({ default: 0 }) is_mixed: number;
  /** End of its newest hour in `sample_hours`; null if none of its samples were thinned. */
  @IntColumn({ nullable: true }) thinned_until: number | null;
}

/** A timeseries point, clustered by series and time. */
@Entity('samples')
@Index('samples_siblings', ['series_id', 'time'], { where: 'sibling > 0' })
export class SampleEntity {
  @ForeignKey(() => SeriesEntity, { name: 'samples_series' })
  @IntKey()
  series_id: number;
  @IntKey() time: number;
  /** Samples that one response showed at the same time are numbered from 0; there is nearly always only one. */
  @IntKey() sibling: number;
  /** The number; systolic for a blood pressure; null for a text. */
  @RealColumn({ nullable: true }) value: number | null;
  /** The text, or the diastolic of a blood pressure, as text ({@link textValueOf}). */
  @TextColumn({ nullable: true }) text_value: string | null;
  /** End minus start for intervals. */
  @IntColumn({ nullable: true }) duration_ms: number | null;
  @IntColumn() group_id: number;
}

/**
 * What is kept of the samples of an hour that are older than SAMPLES_KEEP_DAYS: those of one series with the same
 * attributes. An hour lies in one hour of UTC and one of the person's clock when it was made, so there are two in an
 * hour where clocks differ from UTC by a part of one. Without samples of their own; `sum_2` and the like are for the
 * second number of pairs.
 */
@Entity('sample_hours')
export class SampleHourEntity {
  @ForeignKey(() => SeriesEntity, { name: 'sample_hours_series' })
  @IntKey()
  series_id: number;
  /** Start of the hour, or of the part of it; `end_time` is exclusive. */
  @IntKey() time: number;
  /** `sample_attributes.id` */
  @IntKey() attributes_id: number;
  @IntColumn() end_time: number;
  @IntColumn() count: number;
  @RealColumn() sum: number;
  @RealColumn() min: number;
  @RealColumn() max: number;
  /** Time and value of the first sample, and of the last. */
  @IntColumn() first_at: number;
  @RealColumn() first: number;
  @IntColumn() last_at: number;
  @RealColumn() last: number;
  @RealColumn({ nullable: true }) sum_2: number | null;
  @RealColumn({ nullable: true }) min_2: number | null;
  @RealColumn({ nullable: true }) max_2: number | null;
  @RealColumn({ nullable: true }) first_2: number | null;
  @RealColumn({ nullable: true }) last_2: number | null;
  /** The newest observation of its samples. */
  @IntColumn() observation_id: number;
  /** When upstream first sent samples of the hour after it was thinned; null if it did not. */
  @IntColumn({ nullable: true }) sent_again_at: number | null;
}

/** Text and second values are rare and share one column, because each column costs a byte per sample. */
export function textValueOf({ value2, text }: Pick<Sample, 'value2' | 'text'>): string | null {
  return value2 === null ? text : String(value2);
}

/** The inverse of {@link textValueOf}; a sample with a number has no text. */
export function fromTextValue(value: number | null, textValue: string | null): Pick<Sample, 'value2' | 'text'> {
  if (textValue === null || value === null) return { value2: null, text: textValue };
  return { value2: Number(textValue), text: null };
}

/**
 * Samples of one observation with the same attributes. A sample references both by one short number; nearly every
 * observation has one group.
 */
@Entity('sample_groups')
@Index('sample_groups_natural_key', ['observation_id', 'attributes_id'], { unique: true })
export class SampleGroupEntity {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => ObservationEntity, { name: 'sample_groups_observation', onDelete: 'CASCADE' })
  @IntColumn()
  observation_id: number;
  @IntColumn() attributes_id: number;
}

/**
 * Unit, offset and the rarer fields of samples as canonical JSON, and the details of their source, '' if it gave
 * none. Few combinations exist, so each is stored once; those that may be personal (series-index.repository.ts) are
 * stored once per account and erased with it. They are not part of the series, so that a corrected unit or a newly
 * known device replaces the sample instead of adding a second one.
 */
@Entity('sample_attributes')
@Index('sample_attributes_content', ['content', 'account_id', 'device_id', 'workout_id', 'sport'], { unique: true })
@Index('sample_attributes_account_id', ['account_id'], { where: 'account_id <> 0' })
export class SampleAttributesEntity {
  @AutoIncrementKey() id: number;
  @TextColumn() content: string;
  /** `accounts.id`, or 0 if shared by all accounts. */
  @IntColumn({ default: 0 }) account_id: number;
  @TextColumn({ default: '' }) device_id: string;
  @TextColumn({ default: '' }) workout_id: string;
  @TextColumn({ default: '' }) sport: string;
}

/** A summary object by its upstream id, stored unchanged. */
@Entity('summaries')
@Index('summaries_observation_id', ['observation_id'])
@Index('summaries_of_day', ['resource', 'calendar_date', 'account_id', 'summary_id'])
@Index('summaries_time', ['account_id', 'resource', 'time', 'summary_id', 'provider'])
@Index(
  'summaries_day',
  ['account_id', 'resource', 'calendar_date', 'provider', 'source_type', 'version', 'observation_id', 'summary_id'],
  { where: 'calendar_date IS NOT NULL' },
)
export class SummaryEntity {
  @AccountColumn('summaries_account', IntKey()) account_id: number;
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
  /** Type of a sleep, sport of a workout; null if unknown or of another resource. */
  @TextColumn({ nullable: true }) kind: string | null;
  /** JSON text. */
  @TextColumn() raw: string;
}

/**
 * One observation of upstream's data: a message, or a page of a pull task. Its id grows with its instant, so it
 * identifies the origin of a record and also its order.
 */
@Entity('observations')
@Check('observations_kind', oneOf('kind', observationKinds))
@Index('observations_kind_ref_page', ['kind', 'ref', 'page'])
export class ObservationEntity {
  @IntKey() id: number;
  @TextColumn() kind: ObservationKind;
  /** `messages.seq` or `sync_tasks.id`. */
  @IntColumn() ref: number;
  @IntColumn({ nullable: true }) page: number | null;
  /** Bounds of the times of its samples, in epoch milliseconds; null if it shows none. */
  @IntColumn({ nullable: true }) first_time: number | null;
  @IntColumn({ nullable: true }) last_time: number | null;
}

/** When a message last delivered data of a provider, for any account. */
@Entity('provider_deliveries')
export class ProviderDeliveryEntity {
  @TextKey() provider: string;
  /** Receipt of the message, in epoch milliseconds. */
  @IntColumn() last_at: number;
}

/** An observation of upstream's data that has been stored. */
export interface Observation {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page: number | null;
}

/** Origin of an observation: `messages.seq`, or `sync_tasks.id` and the page; `at` is in epoch milliseconds. */
export interface Provenance {
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page?: number;
  readonly at: number;
}
