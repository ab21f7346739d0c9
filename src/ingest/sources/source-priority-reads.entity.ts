import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';

/** Schedule for reading upstream's source priorities; one row. */
@Entity('source_priority_reads')
export class SourcePriorityReadsEntity extends LeaseColumns {
  /** Always 1. */
  @IntKey() id: number;
  /** When all lists were last read. */
  @IntColumn({ nullable: true }) read_at: number | null;
  @IntColumn() due_at: number;
  @IntColumn({ default: 0 }) attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
