import { Injectable } from '@nestjs/common';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import { type CallOptions, interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { OrderReadsService, type TransactionRead } from '../orders/order-reads.service.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { changedMarkers, type MarkerChange } from './result-changes.js';
import { type OwnedSubject, ResultSubjects } from './result-subjects.js';
import { ResultsRepository, type ResultVersion } from './results.repository.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { UpstreamResults } from './upstream-results.js';

/** Returned for a withdrawn result. Its values stay readable by version. */
const noValues = JSON.stringify({ metadata: {}, results: [], missing_results: [] });

/** One version of a result with its history and transaction. */
export interface ResultRead {
  readonly shown: ResultVersion;
  /** Canonical JSON. */
  readonly content: string;
  /** Canonical JSON of the last version before it that was final; null if none was. */
  readonly earlierFinal: string | null;
  /** True if upstream did not confirm it in this request. */
  readonly isStale: boolean;
  /** Newest first. */
  readonly versions: readonly ResultVersion[];
  /** Newest first. */
  readonly pdfVersions: readonly ResultVersion[];
  readonly transaction: TransactionRead | null;
  /** The customer's id of the account. */
  readonly account: string;
}

/** A version, and what it says otherwise than the version before it. */
export interface ChangedVersion extends ResultVersion {
  readonly changes: readonly MarkerChange[];
}

/** Results of orders. Every read calls upstream, and stores the response before returning it. */
@Injectable()
export class ResultsService {
  constructor(
    private readonly subjects: ResultSubjects,
    private readonly upstream: UpstreamResults,
    private readonly results: ResultsRepository,
    private readonly orders: OrderReadsService,
    private readonly telemetry: ResultsTelemetry,
  ) {}

  /**
   * The newest version. If upstream is unavailable, returns the stored version, marked stale; after a 404, the stored
   * version as withdrawn, without its values. Throws the failure (`result_not_ready`, `UpstreamError`) if nothing is
   * stored or upstream refuses, and `not_found` if the subject belongs to no account.
   */
  async read(subject: ResultSubject): Promise<ResultRead> {
    const owned = await this.subjects.get(subject, interactive);
    const failure = await this.refresh(owned);
    const read = await this.stored(owned, undefined, failure !== null);
    if (!read) return this.failed(owned, failure);
    const isWithdrawn = read.shown.withdrawn_at !== null;
    this.telemetry.read(owned.scope, isWithdrawn ? 'withdrawn' : failure === null ? 'fresh' : 'stale');
    return withoutWithdrawn(read);
  }

  /** A stored version, without reading the result from upstream. Throws `not_found`. */
  async readVersion(subject: ResultSubject, version: number): Promise<ResultRead> {
    const owned = await this.subjects.get(subject, interactive);
    const read = orNotFound(await this.stored(owned, version, true), 'There is no such version of the result.');
    this.telemetry.read(owned.scope, 'stored_version');
    return read;
  }

  /**
   * The newest stored version, withdrawn ones without their values; null if nothing is stored, or upstream has not
   * confirmed whose it is.
   */
  async findStored(subject: ResultSubject): Promise<ResultRead | null> {
    const owned = await this.subjects.findStored(subject);
    const read = owned && (await this.stored(owned, undefined, true));
    return read && withoutWithdrawn(read);
  }

  /** The stored versions, newest first, without reading the result from upstream. Throws `not_found`. */
  async changes(subject: ResultSubject): Promise<ChangedVersion[]> {
    const owned = await this.subjects.get(subject, interactive);
    const versions = await this.results.versions(owned, 'json', owned.account);
    const contents = await Promise.all(versions.map(({ version }) => this.results.content(owned, version)));
    return versions.map((version, index) => {
      const [before, after] = [contents[index + 1], contents[index]];
      return { ...version, changes: before && after ? changedMarkers(before, after) : [] };
    });
  }

  /** Reads a result from upstream and stores it. Throws like `read`, even if a version is stored. */
  async fetch(subject: ResultSubject, options: CallOptions): Promise<void> {
    await this.upstream.readAndStore(await this.subjects.get(subject, options), 'fetch', options);
  }

  /** Reads and stores the result. Returns a failure that a stored version may cover; throws any other. */
  private async refresh(owned: OwnedSubject): Promise<Error | null> {
    try {
      await this.upstream.readAndStore(owned, 'read', interactive);
      return null;
    } catch (error) {
      if (mayBeCoveredUp(error)) return error;
      throw error;
    }
  }

  private failed({ scope }: OwnedSubject, failure: Error | null): never {
    if (isNotReady(failure)) this.telemetry.read(scope, 'not_ready');
    throw failure ?? new AppError('not_found', 'The order no longer belongs to any account.');
  }

  private async stored(owned: OwnedSubject, version: number | undefined, isStale: boolean): Promise<ResultRead | null> {
    const versions = await this.results.versions(owned, 'json', owned.account);
    const shown = version === undefined ? versions[0] : versions.find((each) => each.version === version);
    const content = shown && (await this.results.content(owned, shown.version));
    if (!shown || !content) return null;
    const earlier = versions.find((each) => each.version < shown.version && each.status === 'final');
    const [earlierFinal, pdfVersions, transaction] = await Promise.all([
      earlier ? this.results.content(owned, earlier.version) : null,
      this.results.versions(owned, 'pdf', owned.account),
      owned.transactionId === null ? null : this.orders.findTransaction(owned.transactionId),
    ]);
    return { shown, content, earlierFinal, isStale, versions, pdfVersions, transaction, account: owned.externalId };
  }
}

function withoutWithdrawn(read: ResultRead): ResultRead {
  return read.shown.withdrawn_at === null ? read : { ...read, content: noValues };
}

function isNotReady(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'result_not_ready';
}

function mayBeCoveredUp(error: unknown): error is Error {
  return isNotReady(error) || (error instanceof UpstreamError && error.kind !== 'rejected');
}
