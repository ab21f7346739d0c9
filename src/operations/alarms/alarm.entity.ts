import { Entity } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';
import type { AlarmCode } from './alarm-codes.js';

/** An alarm that is raised. The row is there for as long as its condition holds. */
@Entity('alarms')
export class AlarmEntity {
  @TextKey() code: AlarmCode;
  @IntColumn({ nullable: true }) count: number | null;
  /** Since when the condition holds; the instant of raising where that is not known. */
  @IntColumn() since: number;
  @IntColumn() raised_at: number;
  /** JSON of the slugs of the providers it is about. */
  @TextColumn({ nullable: true }) providers: string | null;
}

/**
 * What a running process has last said of itself. One that stops takes its row away, one that dies stops renewing it.
 */
@Entity('processes')
export class ProcessEntity {
  /** Made anew at every start. */
  @TextKey() instance: string;
  @TextColumn() role: string;
  @IntColumn() seen_at: number;
  /** JSON of the rest of a `ProcessReport`. */
  @TextColumn() report: string;
}
