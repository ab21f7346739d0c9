import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { type Measure, openPdf } from './pdf-download.js';
import { type OwnedSubject, ResultSubjects } from './result-subjects.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { UpstreamResults } from './upstream-results.js';

/**
 * Result PDFs, streamed from upstream and never stored. Only the checksum and size are stored, as a separate version,
 * once the last byte was delivered.
 */
@Injectable()
export class ResultPdfs {
  constructor(
    private readonly subjects: ResultSubjects,
    private readonly upstream: UpstreamResults,
    private readonly clock: Clock,
    private readonly telemetry: ResultsTelemetry,
  ) {}

  /**
   * A stream whose first byte has arrived, which the caller must read or destroy. It ends with an error if upstream's
   * stream breaks. Abort `gone` when the reader leaves, to end upstream's stream. Throws `not_found`,
   * `result_not_ready`, `conflict`, `UpstreamError`, or the reason of `gone`.
   */
  async open(subject: ResultSubject, gone: AbortSignal): Promise<Readable> {
    const options = { priority: 'interactive', signal: gone } as const;
    const owned = await this.subjects.get(subject, options);
    const observedAt = this.clock.now();
    const { stream } = await this.upstream.pdf(owned, options);
    return openPdf(stream, {
      whole: (measure) => this.record(owned, measure, observedAt),
      cut: (error) => this.telemetry.pdf(subject, error instanceof UpstreamError ? 'broken' : 'left', error),
    });
  }

  /** Never rejects, because the reader gets the PDF even if its checksum cannot be stored. */
  private async record(owned: OwnedSubject, measure: Measure, observedAt: number): Promise<void> {
    if (measure.bytes === 0) return;
    try {
      await this.upstream.keepPdf(owned, { ...measure, observedAt });
      this.telemetry.pdf(owned, 'streamed');
    } catch (error) {
      this.telemetry.pdf(owned, 'unrecorded', error);
    }
  }
}
