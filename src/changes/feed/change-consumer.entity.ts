import { Entity } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';

/** A service that follows the changes, and the position up to which it has processed them. */
@Entity('change_consumers')
export class ChangeConsumerEntity {
  @TextKey() name: string;
  @TextColumn() feed: string;
  @IntColumn() number: number;
  /** When the change at the position was noted. */
  @IntColumn() at: number;
  /** Name of the key that reported it. */
  @TextColumn() reported_by: string;
  @IntColumn() reported_at: number;
}
