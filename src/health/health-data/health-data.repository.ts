import { Injectable } from '@nestjs/common';
import type { SqlValue } from '../../storage/database/dialect.js';
import type { BulkShape, GivenQuery, Tx } from '../../storage/database/tx.js';
import { hasFloatingTime, type Resource } from '../catalogue/catalogue.js';
import type { SourceDetails, SummaryRecord } from '../catalogue/records.js';
import { summaryGuard } from './order-rule.js';
import {
  type Observation,
  ObservationIds,
  type ObservationKind,
  type ObservationRow,
  type Observed,
  type Provenance,
  rangesOfIds,
} from './record.entity.js';

/** A stretch of a series in which samples are to be looked for; epoch milliseconds, both ends included. */
export interface Stretch {
  /** Whose it is: a number of the caller's. */
  readonly place: number;
  readonly seriesId: number;
  readonly start: number;
  readonly end: number;
}

/** A stretch of which an observation may have stored all, with these attributes. */
export interface Own extends Stretch {
  readonly observation: number;
  readonly attributesId: number;
  readonly durationMs: number | null;
}

/**
 * A stretch that may be replaced if all in it is older than an observation, alone at its time, and has these
 * attributes.
 */
export interface Replaceable extends Stretch {
  readonly observation: number;
  readonly attributesId: number;
}

/** A stored sample of a stretch. */
export type StoredRow = readonly [
  place: number,
  time: number,
  value: number | null,
  textValue: string | null,
  durationMs: number | null,
  groupId: number,
  attributesId: number,
  observation: number,
];

export type OwnRow = readonly [place: number, time: number, value: number];

const contentColumns = [
  { name: 'value', type: 'real' },
  { name: 'text_value', type: 'text' },
  { name: 'duration_ms', type: 'int' },
  { name: 'group_id', type: 'int' },
] as const;

const sampleShape: BulkShape = {
  table: 'samples',
  columns: [
    { name: 'series_id', type: 'int' },
    { name: 'time', type: 'int' },
    { name: 'sibling', type: 'int' },
    ...contentColumns,
  ],
  conflict: ['series_id', 'time', 'sibling'],
  update: contentColumns.map(({ name }) => name),
};

const stretchColumns = [
  { name: 'place', type: 'int' },
  { name: 'series_id', type: 'int' },
  { name: 'first', type: 'int' },
  { name: 'last', type: 'int' },
] as const;
const inStretch = 'p.series_id = given.series_id AND p.time >= given.first AND p.time <= given.last';

export const samplesQuery: GivenQuery = {
  columns: stretchColumns,
  sql: `SELECT given.place, p.time, p.value, p.text_value, p.duration_ms, g.id, g.attributes_id, g.observation_id
    FROM given CROSS JOIN samples p CROSS JOIN sample_groups g WHERE ${inStretch} AND g.id = p.group_id`,
};

const observedColumns = [
  ...stretchColumns,
  { name: 'observation_id', type: 'int' },
  { name: 'attributes_id', type: 'int' },
] as const;

/** Three columns are read in half the time of eight. */
export const ownQuery: GivenQuery = {
  columns: [...observedColumns, { name: 'duration_ms', type: 'int' }],
  sql: `SELECT given.place, p.time, p.value FROM given CROSS JOIN sample_groups g CROSS JOIN samples p
    WHERE g.observation_id = given.observation_id AND g.attributes_id = given.attributes_id
    AND ${inStretch} AND p.group_id = g.id AND p.text_value IS NULL
    AND (p.duration_ms = given.duration_ms OR (p.duration_ms IS NULL AND given.duration_ms IS NULL))`,
};

export const irreplaceableQuery: GivenQuery = {
  columns: observedColumns,
  sql: `SELECT given.place FROM given WHERE EXISTS (
    SELECT 1 FROM samples p CROSS JOIN sample_groups g WHERE ${inStretch} AND g.id = p.group_id
      AND (g.observation_id >= given.observation_id OR g.attributes_id <> given.attributes_id OR p.sibling > 0))`,
};

const summaryColumns = [
  { name: 'account_id', type: 'int' },
  { name: 'resource', type: 'text' },
  { name: 'summary_id', type: 'text' },
  { name: 'time', type: 'int' },
  { name: 'end_time', type: 'int' },
  { name: 'calendar_date', type: 'text' },
  { name: 'provider', type: 'text' },
  { name: 'source_type', type: 'text' },
  { name: 'floating_time', type: 'int' },
  { name: 'version', type: 'int' },
  { name: 'observation_id', type: 'int' },
  { name: 'raw', type: 'text' },
] as const;

const summaryShape: BulkShape = {
  table: 'summaries',
  columns: summaryColumns,
  conflict: ['account_id', 'resource', 'summary_id'],
  update: summaryColumns.slice(3).map((column) => column.name),
  when: summaryGuard,
  returning: ['account_id', 'resource', 'summary_id'],
};

const summariesQuery: GivenQuery = {
  columns: [...summaryColumns.slice(0, 3), { name: 'after', type: 'int' }],
  sql: `SELECT s.account_id, s.resource, s.summary_id, s.version, s.observation_id, s.raw, o.kind
    FROM given CROSS JOIN summaries s JOIN observations o ON o.id = s.observation_id
    WHERE s.account_id = given.account_id AND s.resource = given.resource AND s.summary_id = given.summary_id
     AND s.observation_id > given.after`,
};

const deliveriesShape: BulkShape = {
  table: 'provider_deliveries',
  columns: [
    { name: 'provider', type: 'text' },
    { name: 'last_at', type: 'int' },
  ],
  conflict: ['provider'],
  update: ['last_at'],
  when: 'excluded.last_at > provider_deliveries.last_at',
};

/** The last delivery of a provider is written this often at most, so that few transactions write the same row. */
const DELIVERY_STEP_MS = 300_000;

/** Samples that are to be gone: all of a time from a sibling on. */
export interface Leftover {
  readonly seriesId: number;
  readonly time: number;
  readonly sibling: number;
}

/** A summary, and whose it is. */
export interface OwnedSummary {
  readonly account: number;
  readonly resource: Resource;
  readonly summary: SummaryRecord;
  readonly observation: Observation;
}

/** The write side of records. */
@Injectable()
export class HealthDataRepository {
  /** The last delivery of each provider that this process wrote. */
  private readonly deliveries = new Map<string, number>();

  /** Stores observations; the same message, or page at the same instant, is the same observation. */
  async observe(tx: Tx, seen: readonly Provenance[]): Promise<Observed[]> {
    const found: Observed[] = [];
    let open = seen.map(({ kind, ref, page = null, at }, place) => ({ kind, ref, page, at, place }));
    while (open.length > 0) {
      const ids = new ObservationIds(await tx.given(observationsQuery, rangesOfIds(open)));
      for (const one of open) {
        const id = ids.idFor(one);
        if (id === null) one.at += 1;
        else found[one.place] = { id, kind: one.kind, ref: one.ref, page: one.page, again: ids.stored.has(id) };
      }
      const made = await tx.bulkRows<{ id: number }>(observationShape, ids.toInsert);
      for (const id of ids.toUseAgain) await tx.execute(useAgain, [id]);
      const there = new Set([...ids.stored, ...made.map(({ id }) => id)]);
      open = open.filter(({ place }) => !there.has(found[place]?.id ?? 0));
    }
    return found;
  }

  /** The first observation of the pull that a page belongs to. */
  async startOfPull(tx: Tx, { id, ref }: Observation): Promise<number> {
    const sql = `SELECT MAX(id) AS id FROM observations WHERE kind = 'sync' AND ref = ? AND page = 0`;
    return (await tx.rows<{ id: number | null }>(sql, [ref]))[0]?.id ?? id;
  }

  async observations(tx: Tx, ids: readonly number[]): Promise<Map<number, Observation>> {
    const rows = await tx.given<ObservationRow>(observationsById, [...new Set(ids)]);
    return new Map(rows.map(([id, kind, ref, page]) => [id, { id, kind, ref, page }]));
  }

  /** Samples of some stretches; those of each by time. */
  async samples(tx: Tx, stretches: readonly Stretch[]): Promise<StoredRow[]> {
    const given: number[] = [];
    for (const { place, seriesId, start, end } of stretches) given.push(place, seriesId, start, end);
    return tx.given(samplesQuery, given);
  }

  /** Numbers that an observation has stored in some stretches. */
  async own(tx: Tx, stretches: readonly Own[]): Promise<OwnRow[]> {
    const given: (number | null)[] = [];
    for (const { place, seriesId, start, end, observation, attributesId, durationMs } of stretches) {
      given.push(place, seriesId, start, end, observation, attributesId, durationMs);
    }
    return tx.given(ownQuery, given);
  }

  /** The places of stretches in which something is that may not simply be replaced. */
  async irreplaceable(tx: Tx, stretches: readonly Replaceable[]): Promise<Set<number>> {
    const given: number[] = [];
    for (const { place, seriesId, start, end, observation, attributesId } of stretches) {
      given.push(place, seriesId, start, end, observation, attributesId);
    }
    return new Set((await tx.given<[number]>(irreplaceableQuery, given)).map(([place]) => place));
  }

  /** What some attributes say of the source, by their number. */
  async details(tx: Tx, attributesIds: readonly number[]): Promise<Map<number, SourceDetails>> {
    const rows = await tx.given<DetailsRow>(detailsById, [...new Set(attributesIds)]);
    return new Map(rows.map(([id, deviceId, workoutId, sport]) => [id, { deviceId, workoutId, sport }]));
  }

  /** Writes samples in place of those of the same number, whole rows one after another, and removes leftovers. */
  async writeSamples(tx: Tx, rows: readonly SqlValue[], leftovers: readonly Leftover[]): Promise<void> {
    for (const { seriesId, time, sibling } of leftovers) await tx.execute(deleteSiblings, [seriesId, time, sibling]);
    await tx.bulk(sampleShape, rows);
  }

  /** Times in epoch milliseconds, by provider. Sorted, so that two transactions never wait for each other. */
  async noteDeliveries(tx: Tx, receipts: ReadonlyMap<string, number>): Promise<void> {
    const due = [...receipts].filter(([provider, at]) => at >= (this.deliveries.get(provider) ?? 0) + DELIVERY_STEP_MS);
    due.sort(([a], [b]) => (a < b ? -1 : 1));
    await tx.bulk(deliveriesShape, due.flat());
    for (const [provider, at] of due) this.deliveries.set(provider, at);
  }

  /** What is stored of some summaries; of those that a page shows only what was seen after it. */
  async summariesStored(tx: Tx, summaries: readonly OwnedSummary[]): Promise<SummaryRow[]> {
    const given: SqlValue[] = [];
    for (const { account, resource, summary, observation } of summaries) {
      given.push(account, resource.name, summary.summaryId, observation.kind === 'message' ? 0 : observation.id);
    }
    return tx.given(summariesQuery, given);
  }

  /** Writes those that are as new as what is stored; answers which they are. None may come twice. */
  upsertSummaries(tx: Tx, summaries: readonly OwnedSummary[]): Promise<SummaryKey[]> {
    const values: SqlValue[] = [];
    for (const { account, resource, summary, observation } of summaries) {
      const floating = hasFloatingTime(summary.provider) ? 1 : 0;
      values.push(account, resource.name, summary.summaryId, summary.time, summary.endTime, summary.calendarDate);
      values.push(summary.provider, summary.sourceType, floating, summary.version, observation.id, summary.raw);
    }
    return tx.bulkRows(summaryShape, values);
  }
}

export interface SummaryKey {
  readonly account_id: number;
  readonly resource: string;
  readonly summary_id: string;
}

/** A stored summary as far as the order rule must know it. */
export type SummaryRow = readonly [
  account: number,
  resource: string,
  summaryId: string,
  version: number,
  observation: number,
  raw: string,
  kind: ObservationKind,
];

const givenObservations = 'SELECT o.id, o.kind, o.ref, o.page, o.unused_since FROM given CROSS JOIN observations o';
const observationsQuery: GivenQuery = {
  columns: [
    { name: 'first', type: 'int' },
    { name: 'past_last', type: 'int' },
  ],
  sql: `${givenObservations} WHERE o.id >= given.first AND o.id < given.past_last`,
};
const observationShape: BulkShape = {
  table: 'observations',
  columns: [
    { name: 'id', type: 'int' },
    { name: 'kind', type: 'text' },
    { name: 'ref', type: 'int' },
    { name: 'page', type: 'int' },
  ],
  conflict: ['id'],
  update: [],
  returning: ['id'],
};

const useAgain = 'UPDATE observations SET unused_since = NULL WHERE id = ?';
const deleteSiblings = 'DELETE FROM samples WHERE series_id = ? AND time = ? AND sibling >= ?';

const observationsById: GivenQuery = {
  columns: [{ name: 'id', type: 'int' }],
  sql: `${givenObservations} WHERE o.id = given.id`,
};

const detailsById: GivenQuery = {
  columns: [{ name: 'id', type: 'int' }],
  sql: `SELECT a.id, a.device_id, a.workout_id, a.sport
    FROM given CROSS JOIN sample_attributes a WHERE a.id = given.id`,
};
type DetailsRow = readonly [id: number, deviceId: string, workoutId: string, sport: string];
