import { Check, Entity } from 'typeorm';
import { IntColumn, IntKey, oneOf, TextColumn, TextKey } from '../database/columns.js';

export const copySides = ['source', 'target'] as const;
export type CopySide = (typeof copySides)[number];

/** At most one row: this database was copied to another one, or is being filled from one. See database-copy.ts. */
@Entity('database_copies')
@Check('database_copies_side', oneOf('side', copySides))
export class DatabaseCopyEntity {
  @IntKey() id: number;
  /** The same in both databases. */
  @TextColumn() copy_id: string;
  @TextColumn() side: CopySide;
  @IntColumn() begun_at: number;
  /** When the copy was verified; null before. */
  @IntColumn({ nullable: true }) ended_at: number | null;
}

/** Progress of a copy, in the database that it fills: one row per table, deleted when the copy ends. */
@Entity('database_copy_tables')
export class DatabaseCopyTableEntity {
  @TextKey() name: string;
  /** Key of the last copied row, as a JSON list; null before the first. */
  @TextColumn({ nullable: true }) last_key: string | null;
  @IntColumn() copied: number;
  @TextColumn() digest: string;
  /** 1 once every row is copied. */
  @IntColumn() complete: number;
}
