import { Injectable } from '@nestjs/common';
import type { Sample, SourceDetails, SummaryRecord } from '../catalogue/records.js';
import { placeholders, type SqlValue } from '../database/dialect.js';
import type { BulkShape, Tx } from '../database/tx.js';
import type { TimeRange } from '../platform/time.js';
import { type Sibling, type StoredSibling, sampleGuard, summaryGuard } from './order-rule.js';
import { type Observation, type ObservationKind, observationIdsAt, type Provenance } from './record.entity.js';

/** A stored sample. */
export interface StoredRow {
  readonly time: number;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text_value: string | null;
  readonly duration_ms: number | null;
  readonly attributes_id: number;
  readonly observation_id: number;
}

const contentColumns = [
  { name: 'value', type: 'real' },
  { name: 'value2', type: 'real' },
  { name: 'text_value', type: 'text' },
  { name: 'duration_ms', type: 'int' },
  { name: 'attributes_id', type: 'int' },
  { name: 'observation_id', type: 'int' },
] as const;

/** Of the sample of a time, or of each sibling there; writes whatever was there before. */
const siblingShape: BulkShape = {
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

const sampleShape: BulkShape = { ...siblingShape, when: sampleGuard };
const newSampleShape: BulkShape = { ...siblingShape, update: [] };

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
};

/** Samples of one series, and the number of each one's attributes. */
export interface SampleRows {
  readonly seriesId: number;
  readonly samples: readonly Sample[];
  readonly attributesIds: readonly number[];
}

/** What is to be stored at one time of a series, and how many rows were there before. */
export interface SampleSet {
  readonly time: number;
  readonly siblings: readonly (Sibling | StoredSibling)[];
  readonly stored: number;
}

/** The write side of records. */
@Injectable()
export class HealthDataRepository {
  /** Stores an observation; the same message, or page at the same instant, is the same observation. */
  async observe(tx: Tx, provenance: Provenance): Promise<Observation> {
    const { kind, ref, page = null, at } = provenance;
    for (let instant = at; ; instant++) {
      const { first, end } = observationIdsAt(instant);
      const taken = await tx.rows<ObservationRow>(observationsBetween, [first, end]);
      const same = taken.find((row) => row.kind === kind && row.ref === ref && row.page === page);
      if (same) {
        if (same.unused_since !== null) await tx.execute(useAgain, [same.id]);
        return { id: same.id, kind, ref, page };
      }
      const last = taken.at(-1)?.id ?? first - 1;
      for (let id = last + 1; id < end; id++) {
        if ((await tx.execute(insertObservation, [id, kind, ref, page])) === 1) return { id, kind, ref, page };
      }
    }
  }

  /** The first observation of the pull that a page belongs to. */
  async startOfPull(tx: Tx, { id, ref }: Observation): Promise<number> {
    const sql = `SELECT MAX(id) AS id FROM observations WHERE kind = 'sync' AND ref = ? AND page = 0`;
    return (await tx.rows<{ id: number | null }>(sql, [ref]))[0]?.id ?? id;
  }

  async observations(tx: Tx, ids: readonly number[]): Promise<Map<number, Observation>> {
    const found = new Map<number, Observation>();
    for (const some of parts([...new Set(ids)])) {
      for (const row of await tx.rows<Observation>(observationsById, some)) found.set(row.id, row);
    }
    return found;
  }

  /** The times in a range at which a series has siblings. */
  async siblingTimes(tx: Tx, seriesId: number, { start, end }: TimeRange): Promise<number[]> {
    return (await tx.rows<{ time: number }>(siblingTimesSql, [seriesId, start, end])).map(({ time }) => time);
  }

  /** Samples of a series at the times of `samples`, by time. */
  async samplesAt(tx: Tx, seriesId: number, samples: readonly Sample[]): Promise<StoredRow[]> {
    const found: StoredRow[] = [];
    for (const times of parts([...new Set(samples.map(({ time }) => time))])) {
      found.push(...(await tx.rows<StoredRow>(samplesAtTimes, [seriesId, ...times])));
    }
    return found;
  }

  /** Samples of a series between two times, both included, by time. */
  samplesWithin(tx: Tx, seriesId: number, { start, end }: TimeRange): Promise<StoredRow[]> {
    return tx.rows<StoredRow>(samplesBetween, [seriesId, start, end]);
  }

  /** What some attributes say of the source, by their number. */
  async details(tx: Tx, attributesIds: readonly number[]): Promise<Map<number, SourceDetails>> {
    const found = new Map<number, SourceDetails>();
    for (const some of parts([...new Set(attributesIds)])) {
      for (const row of await tx.rows<DetailsRow>(detailsById, some)) {
        found.set(row.id, { deviceId: row.device_id, workoutId: row.workout_id, sport: row.sport });
      }
    }
    return found;
  }

  /**
   * Writes samples that are alone at their time and are not stored, or stored with the same attributes and no later.
   * Answers how many rows that were; none of the times may have siblings.
   */
  upsertSamples(tx: Tx, rows: SampleRows, observation: Observation): Promise<number> {
    return tx.bulk(sampleShape, valuesOf(rows, observation));
  }

  /** Writes only where nothing is there yet; answers how many rows that were. */
  insertSamples(tx: Tx, rows: SampleRows, observation: Observation): Promise<number> {
    return tx.bulk(newSampleShape, valuesOf(rows, observation));
  }

  /** Puts sets in place of what is stored at their times; stored siblings among them keep their observation. */
  async replaceSets(tx: Tx, seriesId: number, sets: readonly SampleSet[], observation: Observation): Promise<void> {
    const values: SqlValue[] = [];
    const shrunk = new Map<number, number[]>();
    for (const { time, siblings, stored } of sets) {
      siblings.forEach((row, number) => {
        const from = 'observation' in row ? row.observation : observation.id;
        values.push(seriesId, time, number, row.value, row.value2, row.text, row.durationMs, row.attributesId, from);
      });
      if (siblings.length < stored) shrunk.set(siblings.length, [...(shrunk.get(siblings.length) ?? []), time]);
    }
    for (const [length, times] of shrunk) {
      for (const some of parts(times)) await tx.execute(deleteSiblings, [seriesId, length, ...some]);
    }
    await tx.bulk(siblingShape, values);
  }

  /** What is stored of some summaries; for a page only what was seen after it. */
  async summariesStored(
    tx: Tx,
    { account, resource }: { account: number; resource: string },
    summaries: readonly SummaryRecord[],
    { id, kind }: Observation,
  ): Promise<SummaryRow[]> {
    const sql = `SELECT s.summary_id, s.version, s.observation_id, s.raw, o.kind
      FROM summaries s JOIN observations o ON o.id = s.observation_id
      WHERE s.account_id = ? AND s.resource = ? AND s.summary_id IN (${placeholders(summaries.length)})
       AND s.observation_id > ?`;
    const after = kind === 'message' ? 0 : id;
    return tx.rows(sql, [account, resource, ...summaries.map(({ summaryId }) => summaryId), after]);
  }

  async upsertSummaries(
    tx: Tx,
    owner: { account: number; resource: string; floating: (provider: string) => boolean },
    summaries: readonly SummaryRecord[],
    observation: Observation,
  ): Promise<number> {
    const values: SqlValue[] = [];
    for (const summary of summaries) {
      values.push(owner.account, owner.resource, summary.summaryId, summary.time, summary.endTime);
      values.push(summary.calendarDate, summary.provider, summary.sourceType, owner.floating(summary.provider) ? 1 : 0);
      values.push(summary.version, observation.id, summary.raw);
    }
    return tx.bulk(summaryShape, values);
  }
}

/** A stored summary as far as the order rule must know it. */
export interface SummaryRow {
  readonly summary_id: string;
  readonly version: number;
  readonly observation_id: number;
  readonly raw: string;
  readonly kind: ObservationKind;
}

interface ObservationRow {
  readonly unused_since: number | null;
  readonly id: number;
  readonly kind: ObservationKind;
  readonly ref: number;
  readonly page: number | null;
}

const observationsBetween =
  'SELECT id, kind, ref, page, unused_since FROM observations WHERE id >= ? AND id < ? ORDER BY id';
const useAgain = 'UPDATE observations SET unused_since = NULL WHERE id = ?';
const insertObservation =
  'INSERT INTO observations (id, kind, ref, page) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING';

/** A fixed length keeps the statements prepared; messages rarely hold more. */
const VALUES_PER_STATEMENT = 32;
const someValues = placeholders(VALUES_PER_STATEMENT);

/** Lists of that length; the last repeats its first value until it is full. */
function parts(values: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(values.length / VALUES_PER_STATEMENT) }, (_, part) => {
    const some = values.slice(part * VALUES_PER_STATEMENT, (part + 1) * VALUES_PER_STATEMENT);
    while (some.length < VALUES_PER_STATEMENT) some.push(some[0] as number);
    return some;
  });
}

const selectSamples = `SELECT time, value, value2, text_value, duration_ms, attributes_id, observation_id
  FROM samples WHERE series_id = ?`;
const samplesAtTimes = `${selectSamples} AND time IN (${someValues}) ORDER BY time, sibling`;
const samplesBetween = `${selectSamples} AND time >= ? AND time <= ? ORDER BY time, sibling`;
const deleteSiblings = `DELETE FROM samples WHERE series_id = ? AND sibling >= ? AND time IN (${someValues})`;
const observationsById = `SELECT id, kind, ref, page FROM observations WHERE id IN (${someValues})`;
/** Every page asks this: the index of the few times with siblings answers it. */
export const siblingTimesSql =
  'SELECT DISTINCT time FROM samples WHERE series_id = ? AND time >= ? AND time <= ? AND sibling > 0';

const detailsById = `SELECT id, device_id, workout_id, sport FROM sample_attributes WHERE id IN (${someValues})`;

interface DetailsRow {
  readonly id: number;
  readonly device_id: string;
  readonly workout_id: string;
  readonly sport: string;
}

function valuesOf({ seriesId, samples, attributesIds }: SampleRows, observation: Observation): SqlValue[] {
  const values: SqlValue[] = [];
  for (let index = 0; index < samples.length; index++) {
    const { time, value, value2, text, durationMs } = samples[index] as Sample;
    values.push(seriesId, time, 0, value, value2, text, durationMs, attributesIds[index] as number, observation.id);
  }
  return values;
}
