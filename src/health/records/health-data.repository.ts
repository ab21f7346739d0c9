import { Injectable } from '@nestjs/common';
import { hasFloatingTime } from '../../accounts/connections/provider-facts.js';
import { shapeOf } from '../../storage/database/columns.js';
import type { SqlValue } from '../../storage/database/dialect.js';
import type { BulkShape, GivenQuery, Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';
import { type ObservationKind, type SourceDetails, type SummaryRecord, traitsOf } from '../catalogue/records.js';
import { DELIVERY_STEP_MS } from '../catalogue/tuning.js';
import { type Observation, ProviderDeliveryEntity, SampleEntity, SummaryEntity } from './record.entity.js';

/** A stretch of a series to search for samples; epoch milliseconds, both ends inclusive. */
export interface Stretch {
  /** Index chosen by the caller to match a row to its input. */
  readonly place: number;
  readonly seriesId: number;
  readonly start: number;
  readonly end: number;
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
  sibling: number,
];

/** Differences between the samples of an attribute set and others of their time. */
export interface Details {
  readonly details: SourceDetails;
  /** See `traitsOf`. */
  readonly traits: string;
}

const sampleShape = shapeOf(SampleEntity);

const stretchColumns = [
  { name: 'place', type: 'int' },
  { name: 'series_id', type: 'int' },
  { name: 'first', type: 'int' },
  { name: 'last', type: 'int' },
] as const;
const inStretch = 'p.series_id = given.series_id AND p.time >= given.first AND p.time <= given.last';

export const samplesQuery: GivenQuery = {
  columns: stretchColumns,
  sql: `SELECT given.place, p.time, p.value, p.text_value, p.duration_ms, g.id, g.attributes_id, g.observation_id,
      p.sibling
    FROM given CROSS JOIN samples p CROSS JOIN sample_groups g WHERE ${inStretch} AND g.id = p.group_id`,
};

const summaryShape = shapeOf(SummaryEntity);

/** Given as the version of a stream: its stored text is long, so only its length is read. */
const ofStream = -1;

const summariesQuery: GivenQuery = {
  columns: [...summaryShape.columns.slice(0, 3), { name: 'after', type: 'int' }, { name: 'version', type: 'int' }],
  sql: `SELECT s.account_id, s.resource, s.summary_id, s.version, s.observation_id, o.kind,
      CASE WHEN s.observation_id > given.after THEN s.raw END AS raw,
      CASE WHEN s.version = given.version THEN s.raw END AS raw_of_same,
      CASE WHEN given.version = ${ofStream} THEN LENGTH(s.raw) END AS length
    FROM given CROSS JOIN summaries s JOIN observations o ON o.id = s.observation_id
    WHERE s.account_id = given.account_id AND s.resource = given.resource AND s.summary_id = given.summary_id`,
};

const deliveriesShape: BulkShape = {
  ...shapeOf(ProviderDeliveryEntity),
  update: ['last_at'],
  when: 'excluded.last_at > provider_deliveries.last_at',
};

/** Samples to delete: those at a time whose sibling number is at least `sibling`. */
export interface Leftover {
  readonly seriesId: number;
  readonly time: number;
  readonly sibling: number;
}

/** A summary and its account. */
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

  /** Samples of some stretches; within a stretch, by time. */
  async samples(tx: Tx, stretches: readonly Stretch[]): Promise<StoredRow[]> {
    const given: number[] = [];
    for (const { place, seriesId, start, end } of stretches) given.push(place, seriesId, start, end);
    return tx.given(samplesQuery, given);
  }

  /** Source details and traits of some attribute sets, by number. */
  async details(tx: Tx, attributesIds: readonly number[]): Promise<Map<number, Details>> {
    const rows = await tx.given<DetailsRow>(detailsById, [...new Set(attributesIds)]);
    return new Map(
      rows.map(([id, deviceId, workoutId, sport, content]) => {
        return [id, { details: { deviceId, workoutId, sport }, traits: traitsOf(content) }];
      }),
    );
  }

  /** Upserts samples by number and deletes leftovers. `rows` holds the values of all columns, row after row. */
  async writeSamples(tx: Tx, rows: readonly SqlValue[], leftovers: readonly Leftover[]): Promise<void> {
    for (const { seriesId, time, sibling } of leftovers) await tx.execute(deleteSiblings, [seriesId, time, sibling]);
    await tx.bulk(sampleShape, rows);
  }

  /** Times in epoch milliseconds, by provider. Rows are written in order of provider, to prevent deadlocks. */
  async noteDeliveries(tx: Tx, receipts: ReadonlyMap<string, number>): Promise<void> {
    const due = [...receipts].filter(([provider, at]) => at >= (this.deliveries.get(provider) ?? 0) + DELIVERY_STEP_MS);
    due.sort(([a], [b]) => (a < b ? -1 : 1));
    await tx.bulk(deliveriesShape, due.flat());
    for (const [provider, at] of due) this.deliveries.set(provider, at);
  }

  /** Stored rows of some summaries. */
  summaries(tx: Tx, summaries: readonly OwnedSummary[]): Promise<SummaryRow[]> {
    const given: SqlValue[] = [];
    for (const one of summaries) {
      const version = one.resource.family === 'stream' ? ofStream : one.summary.version;
      given.push(one.account, one.resource.name, one.summary.summaryId, comparedAfter(one), version);
    }
    return tx.given(summariesQuery, given);
  }

  /** `summaries` must not contain duplicates. */
  async writeSummaries(tx: Tx, summaries: readonly OwnedSummary[]): Promise<void> {
    const values: SqlValue[] = [];
    for (const { account, resource, summary, observation } of summaries) {
      const floating = hasFloatingTime(summary.provider) ? 1 : 0;
      values.push(account, resource.name, summary.summaryId, summary.time, summary.endTime, summary.calendarDate);
      values.push(summary.provider, summary.sourceType, floating, summary.version, observation.id);
      values.push(summary.kind, summary.raw);
    }
    await tx.bulk(summaryShape, values);
  }
}

/** Streams are long and never compared; a page is compared only with summaries observed after it. */
function comparedAfter({ resource, observation: { id, kind } }: OwnedSummary): number {
  if (resource.family === 'stream') return Number.MAX_SAFE_INTEGER;
  return kind === 'message' ? 0 : id;
}

/**
 * The parts of a stored summary that the order rule needs. `raw` is null unless it must be compared, `rawOfSame` unless
 * the versions are equal, `length` except for streams.
 */
export type SummaryRow = readonly [
  account: number,
  resource: string,
  summaryId: string,
  version: number,
  observation: number,
  kind: ObservationKind,
  raw: string | null,
  rawOfSame: string | null,
  length: number | null,
];

const deleteSiblings = 'DELETE FROM samples WHERE series_id = ? AND time = ? AND sibling >= ?';

const detailsById: GivenQuery = {
  columns: [{ name: 'id', type: 'int' }],
  sql: `SELECT a.id, a.device_id, a.workout_id, a.sport, a.content
    FROM given CROSS JOIN sample_attributes a WHERE a.id = given.id`,
};
type DetailsRow = readonly [id: number, deviceId: string, workoutId: string, sport: string, content: string];
