import { Check, Entity, Index } from 'typeorm';
import { IntColumn, IntKey, oneOf, TextColumn } from '../database/columns.js';

export const observationKinds = ['message', 'sync'] as const;
export type ObservationKind = (typeof observationKinds)[number];

/**
 * One observation of upstream's data: a message, or a page of a pull task. Its id grows with its instant
 * (observation.ts), so it is both where a record came from and how new it is.
 */
@Entity('observations')
@Check('observations_kind', oneOf('kind', observationKinds))
@Index('observations_kind_ref', ['kind', 'ref'])
export class ObservationEntity {
  @IntKey() id: number;
  @TextColumn() kind: ObservationKind;
  /** `messages.seq` or `sync_tasks.id`. */
  @IntColumn() ref: number;
  @IntColumn({ nullable: true }) page: number | null;
}
