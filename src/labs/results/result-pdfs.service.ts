import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ResultPdfsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { type Measure, openPdf } from './pdf-download.js';
import { type OwnedSubject, ResultSubjects } from './result-subjects.js';
import { ResultsRepository } from './results.repository.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { UpstreamResults } from './upstream-results.js';

/** Larger PDFs are not stored. */
const MAX_STORED = 16 * 1_048_576;

/** A PDF that can be read. `confirmedAt`: for a stored one, when upstream last returned it. */
export interface ReadablePdf {
  readonly stream: Readable;
  readonly confirmedAt: number | null;
}

/**
 * Result PDFs, streamed from upstream. Once the last byte was delivered, the checksum and size are stored as a separate
 * version, and with `RESULT_PDFS=store` the bytes.
 */
@Injectable()
export class ResultPdfs {
  constructor(
    private readonly subjects: ResultSubjects,
    private readonly upstream: UpstreamResults,
    private readonly results: ResultsRepository,
    private readonly config: ResultPdfsConfig,
    private readonly clock: Clock,
    private readonly telemetry: ResultsTelemetry,
  ) {}

  /**
   * A stream whose first byte has arrived, which the caller must read or destroy. It ends with an error if upstream's
   * stream breaks. While upstream is unavailable, the stored PDF, if there is one that is not withdrawn. Abort `gone`
   * when the reader leaves, to end upstream's stream. Throws `not_found`,
   * `result_not_ready`, `conflict`, `UpstreamError`, or the reason of `gone`.
   */
  async open(subject: ResultSubject, gone: AbortSignal): Promise<ReadablePdf> {
    const options = { priority: 'interactive', signal: gone } as const;
    const owned = await this.subjects.get(subject, options);
    const observedAt = this.clock.now();
    try {
      const { stream } = await this.upstream.pdf(owned, options);
      return { stream: await this.measured(owned, stream, observedAt), confirmedAt: null };
    } catch (error) {
      const stored = error instanceof UpstreamError && error.isTransient ? await this.stored(owned) : null;
      if (!stored) throw error;
      return stored;
    }
  }

  private measured(owned: OwnedSubject, stream: Readable, observedAt: number): Promise<Readable> {
    return openPdf(stream, {
      contentUpTo: this.config.mode === 'store' ? MAX_STORED : 0,
      whole: (measure) => this.record(owned, measure, observedAt),
      cut: (error) => this.telemetry.pdf(owned, error instanceof UpstreamError ? 'broken' : 'left', error),
    });
  }

  private async stored(owned: OwnedSubject): Promise<ReadablePdf | null> {
    const [newest] = await this.results.versions(owned, 'pdf', owned.account);
    const content = newest?.withdrawn_at === null ? await this.results.pdf(newest) : null;
    if (!newest || !content) return null;
    this.telemetry.pdf(owned, 'stored');
    return { stream: Readable.from([content]), confirmedAt: newest.last_confirmed_at };
  }

  /** Never rejects, because the reader gets the PDF even if its checksum cannot be stored. */
  private async record(owned: OwnedSubject, measure: Measure, observedAt: number): Promise<void> {
    if (measure.bytes === 0) return;
    try {
      const { content: pdf, ...kept } = measure;
      await this.upstream.keepPdf(owned, { ...kept, pdf, observedAt });
      this.telemetry.pdf(owned, 'streamed');
    } catch (error) {
      this.telemetry.pdf(owned, 'unrecorded', error);
    }
  }
}
