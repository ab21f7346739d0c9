import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** due: to be fetched, or being fetched under a lease · done: stored · failed: given up, see `error_code`. */
export const seriesFetchStatuses = ['due', 'done', 'failed'] as const;
export type SeriesFetchStatus = (typeof seriesFetchStatuses)[number];

/** A workout series to fetch, announced by an event. */
@Entity('workout_series_fetches')
@Check('workout_series_fetches_status', oneOf('status', seriesFetchStatuses))
@Index('workout_series_fetches_workout', ['workout_id', 'account_id'], { unique: true })
@Index('workout_series_fetches_due', ['due_at', 'id'], { where: 'due_at IS NOT NULL' })
@Index('workout_series_fetches_account_id', ['account_id', 'id'])
@Index('workout_series_fetches_status_id', ['status', 'id'])
export class SeriesFetchEntity extends LeaseColumns {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountEntity, { name: 'workout_series_fetches_account' })
  @IntColumn()
  account_id: number;
  @TextColumn() workout_id: string;
  /** The upstream user in the event's data, who must be the account's; null if there is none. */
  @TextColumn({ nullable: true }) user_id: string | null;
  /** The event's facts about the workout besides its id, as JSON. */
  @TextColumn() facts: string;
  /** `messages.seq` of the latest event; the provenance of the record. */
  @IntColumn() message_seq: number;
  /** First receipt of the first event. */
  @IntColumn() received_at: number;
  /** Number of events so far. If one arrives during the fetch, the series is fetched again. */
  @IntColumn() requests: number;
  @TextColumn() status: SeriesFetchStatus;
  /** Time from which the fetch may be claimed; null once it has ended. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Attempts since the latest event. */
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  /** When the series was last stored; null if never. */
  @IntColumn({ nullable: true }) stored_at: number | null;
}
