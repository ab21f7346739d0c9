import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../../accounts/accounts/account.entity.js';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** due: to be fetched, or being fetched under a lease · done: stored · failed: given up, `error_code` says why. */
export const seriesFetchStatuses = ['due', 'done', 'failed'] as const;
export type SeriesFetchStatus = (typeof seriesFetchStatuses)[number];

/** The series of one workout, to be fetched because an event said that it is there. */
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
  /** The upstream user the event names inside its data, who must be the account's; null where it names none. */
  @TextColumn({ nullable: true }) user_id: string | null;
  /** The event's facts about the workout besides its id, as JSON. */
  @TextColumn() facts: string;
  /** `messages.seq` of the latest event: where the record comes from. */
  @IntColumn() message_seq: number;
  /** First receipt of the first event. */
  @IntColumn() received_at: number;
  /** Events so far. A fetch during which another came is made again. */
  @IntColumn() requests: number;
  @TextColumn() status: SeriesFetchStatus;
  /** When it may be claimed: the end of the lease while it is fetched, null once there is nothing left to do. */
  @IntColumn({ nullable: true }) due_at: number | null;
  /** Tries since the latest event. */
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
  /** When it was last stored; null if it never was. */
  @IntColumn({ nullable: true }) stored_at: number | null;
}
