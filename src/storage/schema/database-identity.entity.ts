import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../database/columns.js';

/** One row: which upstream region and environment this database belongs to. */
@Entity('database_identity')
export class DatabaseIdentityEntity {
  @IntKey() id: number;
  @TextColumn() region: string;
  @TextColumn() environment: string;
  @TextColumn({ nullable: true }) team_id: string | null;
  @IntColumn() stamped_at: number;
  /** Name of the database in the erasure journal; null if it has none. */
  @TextColumn({ nullable: true }) journal: string | null;
}
