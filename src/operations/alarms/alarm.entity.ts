import { Entity } from 'typeorm';
import { IntColumn, RealColumn, TextColumn, TextKey } from '../../storage/database/columns.js';
import type { AlarmCode } from './alarm-list.js';

/** A raised alarm. The row exists while its condition holds. */
@Entity('alarms')
export class AlarmEntity {
  @TextKey() code: AlarmCode;
  @IntColumn({ nullable: true }) count: number | null;
  /** Start of the condition, or the time of raising if unknown. */
  @IntColumn() since: number;
  @IntColumn() raised_at: number;
  /** JSON array of the slugs of affected providers. */
  @TextColumn({ nullable: true }) providers: string | null;
  /** JSON array of codes that say why. */
  @TextColumn({ nullable: true }) reasons: string | null;
  /** JSON of an `Acknowledgement`; null until the alarm is acknowledged, and again once it has grown. */
  @TextColumn({ nullable: true }) acknowledged: string | null;
}

/** Last report of a running process. A process deletes its row at shutdown; after a crash the row goes stale. */
@Entity('processes')
export class ProcessEntity {
  /** Random, new at each start. */
  @TextKey() instance: string;
  @TextColumn() role: string;
  @IntColumn() seen_at: number;
  /** JSON of the other fields of `ProcessReport`. */
  @TextColumn() report: string;
  /** Calls a second that it lends to others until `lends_until`, by the clock of the database (`call-loans.ts`). */
  @RealColumn({ nullable: true }) lends: number | null;
  @IntColumn({ nullable: true }) lends_until: number | null;
  /** The same for what it borrows from others. */
  @RealColumn({ nullable: true }) borrows: number | null;
  @IntColumn({ nullable: true }) borrows_until: number | null;
}
