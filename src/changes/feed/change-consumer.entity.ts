import { Entity } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';

/** A service that reads the feed, and the position up to which it has processed the changes. */
@Entity('change_consumers')
export class ChangeConsumerEntity {
  @TextKey() name: string;
  @TextColumn() feed: string;
  @IntColumn() number: number;
  /** Time of the change at the position. */
  @IntColumn() at: number;
  /** Name of the key that reported it. */
  @TextColumn() reported_by: string;
  @IntColumn() reported_at: number;
}
