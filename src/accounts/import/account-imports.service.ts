import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { AccountBatchesRepository } from '../accounts/account-batches.repository.js';
import type { AccountImportEntity, DifferenceKind } from './account-import.entity.js';
import { AccountImportTelemetry } from './account-import.telemetry.js';
import { AccountImportsRepository, type ShownDifference } from './account-imports.repository.js';

interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

/** An import with its progress, and its differences by reason. */
export interface ShownImport {
  readonly row: AccountImportEntity;
  readonly refusals: readonly ReasonCount[];
  readonly absences: readonly ReasonCount[];
  /** Progress from 0 to 1; decreases when another pass starts. */
  readonly share: number;
  /** Epoch milliseconds; null if it has ended, or if there is no estimate yet. */
  readonly estimatedEnd: number | null;
}

interface ListQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Approximate share of an import's time that the scan takes. */
const SCAN_SHARE = 0.9;

/** Requests imports of upstream's users and reports their progress; the worker runs them. */
@Injectable()
export class AccountImports {
  constructor(
    private readonly imports: AccountImportsRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly accounts: AccountBatchesRepository,
    private readonly telemetry: AccountImportTelemetry,
  ) {}

  /** Requests an import; returns the running one if there is one. */
  async start(): Promise<ShownImport> {
    const { row, made } = await this.lane.run(async (tx) => {
      const inserted = await this.imports.insert(tx, this.clock.now());
      return { row: inserted ?? (await this.imports.running(tx)), made: inserted !== null };
    });
    if (!row) throw new AppError('conflict', 'An import has just finished; repeat the request to start a new one.');
    if (made) this.telemetry.started(row.id);
    return this.shown(row);
  }

  /** Throws `not_found`. */
  async get(id: number): Promise<ShownImport> {
    return this.shown(await this.row(id));
  }

  /** Newest first. */
  async list({ cursor, limit }: ListQuery): Promise<Page<ShownImport>> {
    const [beforeId] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, ['number']);
    const page = pageOf(await this.imports.page(beforeId, limit + 1), limit, ({ id }) => [id]);
    return { ...page, data: await Promise.all(page.data.map((row) => this.shown(row))) };
  }

  /** In the order found. Throws `not_found`. */
  async differences(
    id: number,
    { kind, cursor, limit }: ListQuery & { kind?: DifferenceKind | undefined },
  ): Promise<Page<ShownDifference>> {
    const { id: importId } = await this.row(id);
    const [afterId] = cursor === undefined ? [0] : decodeCursor(cursor, ['number']);
    const rows = await this.imports.differences({ importId, kind, afterId, limit: limit + 1 });
    return pageOf(rows, limit, (row) => [row.id]);
  }

  private async row(id: number): Promise<AccountImportEntity> {
    return orNotFound(await this.imports.find(id), 'There is no such import.');
  }

  private async shown(row: AccountImportEntity): Promise<ShownImport> {
    const refusals = row.refused === 0 ? [] : await this.imports.reasons(row.id, 'refused');
    const absences = row.missing === 0 ? [] : await this.imports.reasons(row.id, 'unknown_upstream');
    const share = shareOf(row, row.phase === 'verify' ? await this.accounts.newestId() : 0);
    return { row, refusals, absences, share, estimatedEnd: endOf(row, share, this.clock.now()) };
  }
}

function shareOf({ state, phase, total, next_offset, verified_until }: AccountImportEntity, newest: number): number {
  if (state === 'done') return 1;
  if (phase === 'walk') return total ? SCAN_SHARE * Math.min(1, next_offset / total) : 0;
  return SCAN_SHARE + (1 - SCAN_SHARE) * (newest === 0 ? 1 : Math.min(1, verified_until / newest));
}

function endOf({ state, started_at }: AccountImportEntity, share: number, now: number): number | null {
  if (state !== 'running' || share === 0 || now <= started_at) return null;
  return Math.round(started_at + (now - started_at) / share);
}
