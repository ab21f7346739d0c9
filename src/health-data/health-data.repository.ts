import { Injectable } from '@nestjs/common';
import type { Sample, SummaryRecord } from '../catalogue/records.js';
import type { SqlValue } from '../database/dialect.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { type Observation, observationIdsAt, type Provenance } from './observation.entity.js';
import { sampleGuard, summaryGuard } from './order-rule.js';

export interface StoredSample {
  readonly time: number;
  readonly value: number | null;
  readonly value2: number | null;
  readonly text_value: string | null;
  readonly duration_ms: number | null;
  readonly attributes_id: number;
  readonly observation_id: number;
}

const sampleShape: BulkShape = {
  table: 'samples',
  columns: [
    { name: 'series_id', type: 'int' },
    { name: 'time', type: 'int' },
    { name: 'value', type: 'real' },
    { name: 'value2', type: 'real' },
    { name: 'text_value', type: 'text' },
    { name: 'duration_ms', type: 'int' },
    { name: 'attributes_id', type: 'int' },
    { name: 'observation_id', type: 'int' },
  ],
  conflict: ['series_id', 'time'],
  update: ['value', 'value2', 'text_value', 'duration_ms', 'attributes_id', 'observation_id'],
  when: sampleGuard,
};

const newSampleShape: BulkShape = { ...sampleShape, update: [] };

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

/** The write side of records; every row goes through the guarded upserts here. */
@Injectable()
export class HealthDataRepository {
  /** Stores an observation; the same message, or page at the same instant, is the same observation. */
  async observe(tx: Tx, provenance: Provenance): Promise<Observation> {
    const { kind, ref, page = null, at } = provenance;
    for (let instant = at; ; instant++) {
      const { first, end } = observationIdsAt(instant);
      const taken = await tx.rows<ObservationRow>(observationsBetween, [first, end]);
      const same = taken.find((row) => row.kind === kind && row.ref === ref && row.page === page);
      if (same) return { id: same.id, kind };
      const last = taken.at(-1)?.id ?? first - 1;
      for (let id = last + 1; id < end; id++) {
        if ((await tx.execute(insertObservation, [id, kind, ref, page])) === 1) return { id, kind };
      }
    }
  }

  /** Samples of a series at the times of `samples`, by time. */
  async samplesAt(tx: Tx, seriesId: number, samples: readonly Sample[]): Promise<Map<number, StoredSample>> {
    const found = new Map<number, StoredSample>();
    for (let from = 0; from < samples.length; from += TIMES_PER_QUERY) {
      const times = samples.slice(from, from + TIMES_PER_QUERY).map((sample) => sample.time);
      while (times.length < TIMES_PER_QUERY) times.push(times[0] as number);
      for (const row of await tx.rows<StoredSample>(samplesAtTimes, [seriesId, ...times])) found.set(row.time, row);
    }
    return found;
  }

  /** Samples of a series between two times that a later observation has written. */
  async laterSamples(
    tx: Tx,
    seriesId: number,
    range: { start: number; end: number },
    observationId: number,
  ): Promise<Map<number, StoredSample>> {
    const rows = await tx.rows<StoredSample>(
      `SELECT ${sampleFields} FROM samples WHERE series_id = ? AND time >= ? AND time <= ? AND observation_id > ?`,
      [seriesId, range.start, range.end, observationId],
    );
    return new Map(rows.map((row) => [row.time, row]));
  }

  /** Answers how many rows were written: all but those the order rule kept. */
  upsertSamples(tx: Tx, rows: SampleRows, observation: Observation): Promise<number> {
    return tx.bulk(sampleShape, valuesOf(rows, observation));
  }

  /** Writes only what is not there yet; answers how many rows that were. */
  insertSamples(tx: Tx, rows: SampleRows, observation: Observation): Promise<number> {
    return tx.bulk(newSampleShape, valuesOf(rows, observation));
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

interface ObservationRow {
  readonly id: number;
  readonly kind: string;
  readonly ref: number;
  readonly page: number | null;
}

const observationsBetween = 'SELECT id, kind, ref, page FROM observations WHERE id >= ? AND id < ? ORDER BY id';
const insertObservation =
  'INSERT INTO observations (id, kind, ref, page) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING';

/** A fixed length keeps the statement prepared; messages rarely hold more. */
const TIMES_PER_QUERY = 32;
const sampleFields = 'time, value, value2, text_value, duration_ms, attributes_id, observation_id';
const samplesAtTimes = `SELECT ${sampleFields} FROM samples WHERE series_id = ? AND time IN (${Array.from(
  { length: TIMES_PER_QUERY },
  () => '?',
).join(', ')})`;

function valuesOf({ seriesId, samples, attributesIds }: SampleRows, observation: Observation): SqlValue[] {
  const values: SqlValue[] = [];
  for (let index = 0; index < samples.length; index++) {
    const { time, value, value2, text, durationMs } = samples[index] as Sample;
    values.push(seriesId, time, value, value2, text, durationMs, attributesIds[index] as number, observation.id);
  }
  return values;
}
