import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';

/** When upstream's priorities of sources are read; one row. */
@Entity('source_priority_reads')
export class SourcePriorityReadsEntity {
  /** Always 1. */
  @IntKey() id: number;
  /** When all of them were read last. */
  @IntColumn({ nullable: true }) read_at: number | null;
  @IntColumn() due_at: number;
  @IntColumn({ default: 0 }) attempts: number;
  /** Consecutive tries that upstream or the store could not serve; such a try does not count. */
  @IntColumn({ default: 0 }) waits: number;
  @TextColumn({ nullable: true }) lease_owner: string | null;
  @IntColumn({ nullable: true }) lease_until: number | null;
  @TextColumn({ nullable: true }) error_code: string | null;
}
