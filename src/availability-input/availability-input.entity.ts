import { Entity } from 'typeorm';
import { IntColumn, IntKey } from '../database/columns.js';

/**
 * One row, with id 1: since when upstream is known to read the inputs of availability from the query; null: the body.
 */
@Entity('availability_input')
export class AvailabilityInputEntity {
  @IntKey() id: number;
  @IntColumn({ nullable: true }) query_since: number | null;
}
