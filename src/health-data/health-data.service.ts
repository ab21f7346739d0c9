import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { hasFloatingTime, type Resource, rangeOfDay } from '../catalogue/catalogue.js';
import type { Records, SeriesBatch, SummaryRecord } from '../catalogue/records.js';
import type { Tx } from '../database/tx.js';
import { Clock } from '../platform/clock.js';
import { DAY_MS } from '../platform/time.js';
import { HealthDataRepository, type SummaryRow } from './health-data.repository.js';
import { isSummaryConflict } from './order-rule.js';
import type { Observation, Provenance } from './record.entity.js';
import { SeriesIndex } from './series-index.repository.js';
import { writeSamples } from './write-samples.js';

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

  /**
   * Writes the records of one account under the order rule. Rejects with the database's error; nothing is half done.
   */
  async apply(tx: Tx, account: number, records: Records, observation: Observation): Promise<Applied> {
    await tx.lock('account', account);
    const samples = await this.applySamples(tx, account, records, observation);
    const summaries = await this.applySummaries(tx, account, records, observation);
    return {
      written: samples.written + summaries.written,
      newest: newestOf(records),
      conflicts: [...samples.conflicts, ...summaries.conflicts],
      newSources: samples.newSources,
    };
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
    const owner = { account, resource: resource.name, now: this.clock.now() };
    const numbers = await this.seriesIndex.numbersOf(tx, owner, samples);
    for (const [index, { id: seriesId, created, attributesIds }] of numbers.entries()) {
      const batch = samples[index] as SeriesBatch;
      if (created) newSources.add(batch.key.provider);
      const rows = { seriesId, samples: batch.samples, attributesIds };
      const outcome = await writeSamples(this.repository, tx, rows, { observation, now: this.clock.now() });
      written += outcome.written;
      if (outcome.conflict) conflicts.push({ provider: batch.key.provider, ...outcome.conflict });
    }
    return { written, conflicts, newSources: [...newSources] };
  }

  private async applySummaries(
    tx: Tx,
    account: number,
    { resource, summaries }: Records,
    observation: Observation,
  ): Promise<{ written: number; conflicts: ConflictRange[] }> {
    if (summaries.length === 0) return { written: 0, conflicts: [] };
    const owner = { account, resource: resource.name, floating: hasFloatingTime };
    const isStream = resource.family === 'stream';
    const stored = isStream ? [] : await this.repository.summariesStored(tx, owner, summaries, observation);
    const written = await this.repository.upsertSummaries(tx, owner, summaries, observation);
    return { written, conflicts: summaryConflicts(resource, { summaries, stored }, observation) };
  }
}

/** Where upstream has to be asked which of two summaries is right: wherever their day may lie. */
function summaryConflicts(
  resource: Resource,
  { summaries, stored }: { summaries: readonly SummaryRecord[]; stored: readonly SummaryRow[] },
  { id: observation, kind }: Observation,
): ConflictRange[] {
  const before = new Map(stored.map((row) => [row.summary_id, row]));
  return summaries.flatMap(({ summaryId, version, provider, time, raw }) => {
    const row = before.get(summaryId);
    if (!row) return [];
    const known = { ...row, observation: row.observation_id, sameContent: isSameJson(row.raw, raw) };
    if (!isSummaryConflict(known, { version, observation, kind })) return [];
    const range = rangeOfDay(resource, time - (time % DAY_MS));
    return [{ provider: provider === 'unknown' ? '' : provider, ...range }];
  });
}

/** Whatever the order of the fields. */
function isSameJson(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

function newestOf(records: Records): number | null {
  const times = [
    ...records.samples.map((batch) => batch.samples.at(-1)?.time ?? Number.NEGATIVE_INFINITY),
    ...records.summaries.map((summary) => summary.time),
  ];
  const newest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  return Number.isFinite(newest) ? newest : null;
}
