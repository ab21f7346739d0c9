import { Check, Entity, Index } from 'typeorm';
import { IntColumn, IntKey, oneOf, TextColumn } from '../database/columns.js';

export const observationKinds = ['message', 'sync'] as const;
export type ObservationKind = (typeof observationKinds)[number];

/**
 * One look at upstream's data: a message, or a page of a sync task. Its id grows with the instant of the look
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
