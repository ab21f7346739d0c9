import { Check, Entity, Index } from 'typeorm';
import { IntColumn, IntKey, oneOf, TextColumn } from '../database/columns.js';

export const observationKinds = ['message', 'sync'] as const;
export type ObservationKind = (typeof observationKinds)[number];

/**
 * One observation of upstream's data: a message, or a page of a pull task. Its id grows with its instant
 * (observationIdsAt), so it is both where a record came from and how new it is.
 */
@Entity('observations')
@Check('observations_kind', oneOf('kind', observationKinds))
@Index('observations_kind_ref_page', ['kind', 'ref', 'page'])
export class ObservationEntity {
  @IntKey() id: number;
  @TextColumn() kind: ObservationKind;
  /** `messages.seq` or `sync_tasks.id`. */
  @IntColumn() ref: number;
  @IntColumn({ nullable: true }) page: number | null;
}

/** Observations within one millisecond; the next millisecond's ids follow. */
export const PER_MILLISECOND = 64;

/**
 * Observation ids grow with their instant and take six bytes, so a sample's one column says both which observation it
 * came from and how new it is.
 */
export function observationIdsAt(at: number): { readonly first: number; readonly end: number } {
  return { first: at * PER_MILLISECOND, end: (at + 1) * PER_MILLISECOND };
}

/** The instant of an observation, in epoch milliseconds. */
export function observedAt(observationId: number): number {
  return Math.floor(observationId / PER_MILLISECOND);
}

/** An observation of upstream's data that has been stored. */
export interface Observation {
  readonly id: number;
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page: number | null;
}

/** What was read: `messages.seq`, or `sync_tasks.id` and the page; and when, in epoch milliseconds. */
export interface Provenance {
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page?: number;
  readonly at: number;
}
