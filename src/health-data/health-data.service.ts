import { Injectable } from '@nestjs/common';
import { hasFloatingTime } from '../catalogue/catalogue.js';
import type { Records, Sample, SeriesBatch } from '../catalogue/records.js';
import type { Tx } from '../database/tx.js';
import { Clock } from '../platform/clock.js';
import type { TimeRange } from '../platform/time.js';
import { HealthDataRepository, type SampleRows, type StoredSample } from './health-data.repository.js';
import type { Observation, Provenance } from './observation.entity.js';
import { judgeSample } from './order-rule.js';
import { SeriesIndex } from './series-index.repository.js';

/** A range of one source on which two observations disagree; epoch milliseconds, both ends included. */
export interface ConflictRange {
  readonly provider: string;
  readonly start: number;
  readonly end: number;
}

export interface Applied {
  /** Rows that this observation is the newest of; the rest had been seen later. */
  readonly written: number;
  /** Time of the newest record, stored before or not. */
  readonly newest: number | null;
  /** To be read again from upstream; see order-rule.ts. */
  readonly conflicts: readonly ConflictRange[];
  /** Providers of series that did not exist before. Summaries name none: their schedule waits for the next poll. */
  readonly newSources: readonly string[];
}

/**
 * The one way a record gets into the store, for messages, pages and replays alike. Applying is idempotent on the
 * natural key, and any order of the same observations ends in the same store.
 */
@Injectable()
export class HealthDataService {
  constructor(
    private readonly repository: HealthDataRepository,
    private readonly seriesIndex: SeriesIndex,
    private readonly clock: Clock,
  ) {}

  /** Stores the observation that `apply` needs. Idempotent for the same message, or page of a task and instant. */
  observe(tx: Tx, provenance: Provenance): Promise<Observation> {
    return this.repository.observe(tx, provenance);
  }

  /** Forgets the ids of series and attributes; called when an account was erased. */
  forget(): void {
    this.seriesIndex.forget();
  }

  /**
   * Writes the records of one account under the order rule. Rejects with the database's error; nothing is half done.
   */
  async apply(tx: Tx, account: number, records: Records, observation: Observation): Promise<Applied> {
    await tx.lock('account', account);
    try {
      const samples = await this.applySamples(tx, account, records, observation);
      const summaries = await this.applySummaries(tx, account, records, observation);
      return {
        written: samples.written + summaries,
        newest: newestOf(records),
        conflicts: samples.conflicts,
        newSources: samples.newSources,
      };
    } catch (error) {
      this.seriesIndex.forget();
      throw error;
    }
  }

  private async applySamples(
    tx: Tx,
    account: number,
    { resource, samples }: Records,
    observation: Observation,
  ): Promise<{ written: number; conflicts: ConflictRange[]; newSources: string[] }> {
    let written = 0;
    const conflicts: ConflictRange[] = [];
    const newSources = new Set<string>();
    for (const batch of samples) {
      const series = await this.seriesIndex.seriesId(tx, account, resource.name, batch.key, this.clock.now());
      if (series.created) newSources.add(batch.key.provider);
      const outcome = await this.applySeries(tx, { account, id: series.id }, batch, observation);
      written += outcome.written;
      if (outcome.conflict) conflicts.push({ provider: batch.key.provider, ...outcome.conflict });
    }
    return { written, conflicts, newSources: [...newSources] };
  }

  /**
   * A page is written first, and compared with what is stored only where it wrote less than it holds, because a later
   * observation was there before it.
   */
  private async applySeries(
    tx: Tx,
    series: { account: number; id: number },
    batch: SeriesBatch,
    observation: Observation,
  ): Promise<{ written: number; conflict: TimeRange | null }> {
    const { samples } = batch;
    const { account, id: seriesId } = series;
    const attributesIds = await this.seriesIndex.attributesIds(tx, account, samples);
    const rows: SampleRows = { seriesId, samples, attributesIds };
    if (observation.kind === 'message') return this.applyMessage(tx, rows, observation);
    const written = await this.repository.upsertSamples(tx, rows, observation);
    const range = rangeOf(batch);
    if (written === samples.length || !range) return { written, conflict: null };
    const stored = await this.repository.laterSamples(tx, seriesId, range, observation.id);
    return { written, conflict: conflictRange(rows, stored, observation) };
  }

  /** Most messages bring news only. One that does not is compared with what is stored before that is written over. */
  private async applyMessage(
    tx: Tx,
    rows: SampleRows,
    observation: Observation,
  ): Promise<{ written: number; conflict: TimeRange | null }> {
    const inserted = await this.repository.insertSamples(tx, rows, observation);
    if (inserted === rows.samples.length) return { written: inserted, conflict: null };
    const stored = await this.repository.samplesAt(tx, rows.seriesId, rows.samples);
    const written = await this.repository.upsertSamples(tx, rows, observation);
    return { written, conflict: conflictRange(rows, stored, observation) };
  }

  private applySummaries(tx: Tx, account: number, records: Records, observation: Observation): Promise<number> {
    const owner = { account, resource: records.resource.name, floating: hasFloatingTime };
    return this.repository.upsertSummaries(tx, owner, records.summaries, observation);
  }
}

function rangeOf(batch: SeriesBatch): TimeRange | null {
  const first = batch.samples[0];
  const last = batch.samples.at(-1);
  return first && last ? { start: first.time, end: last.time } : null;
}

function conflictRange(
  { samples, attributesIds }: SampleRows,
  stored: ReadonlyMap<number, StoredSample>,
  observation: Observation,
): TimeRange | null {
  const incoming = { observation: observation.id, kind: observation.kind };
  const times = samples.flatMap((sample, index) => {
    const known = stored.get(sample.time);
    if (!known) return [];
    const same = sameContent(sample, known) && attributesIds[index] === known.attributes_id;
    return judgeSample(known.observation_id, incoming, same).conflict ? [sample.time] : [];
  });
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined ? null : { start: first, end: last };
}

function sameContent(sample: Sample, stored: StoredSample): boolean {
  return (
    sample.value === stored.value &&
    sample.value2 === stored.value2 &&
    sample.text === stored.text_value &&
    sample.durationMs === stored.duration_ms
  );
}

function newestOf(records: Records): number | null {
  const times = [
    ...records.samples.map((batch) => batch.samples.at(-1)?.time ?? Number.NEGATIVE_INFINITY),
    ...records.summaries.map((summary) => summary.time),
  ];
  const newest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  return Number.isFinite(newest) ? newest : null;
}
