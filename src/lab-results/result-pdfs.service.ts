import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import type { ResultSubject } from '../result-fetches/result-subject.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { hasBegun, type Measure, measured } from './measured.js';
import { type OwnedSubject, ResultSubjects } from './result-subjects.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { UpstreamResults } from './upstream-results.js';

/**
 * Result PDFs, handed through from upstream byte by byte and never held. What is stored of one is its checksum and size,
 * as a version of its own, once the last byte was handed out.
 */
@Injectable()
export class ResultPdfs {
  constructor(
    private readonly subjects: ResultSubjects,
    private readonly upstream: UpstreamResults,
    private readonly clock: Clock,
    private readonly events: ResultsTelemetry,
  ) {}

  /**
   * A stream of which the first byte has come: read it or destroy it. It ends with an error if upstream breaks off, and
   * so does upstream's when `gone` says that nobody reads any more. Throws `not_found`, `result_not_ready`, `conflict`,
   * `UpstreamError`, or the reason of `gone`.
   */
  async open(subject: ResultSubject, gone: AbortSignal): Promise<Readable> {
    const options = { priority: 'interactive', signal: gone } as const;
    const owned = await this.subjects.get(subject, options);
    const observedAt = this.clock.now();
    const { stream } = await this.upstream.pdf(owned, options);
    const pdf = measured(stream, {
      whole: (measure) => this.record(owned, measure, observedAt),
      cut: (error) => this.events.pdf(subject, error instanceof UpstreamError ? 'broken' : 'left', error),
    });
    if (await hasBegun(pdf)) return pdf;
    throw new AppError('upstream_contract', 'Upstream answered with an empty PDF.');
  }

  /** Never rejects: whoever reads the PDF shall have it, even if the store takes nothing now. */
  private async record(owned: OwnedSubject, measure: Measure, observedAt: number): Promise<void> {
    if (measure.bytes === 0) return;
    try {
      await this.upstream.keepPdf(owned, { ...measure, observedAt });
      this.events.pdf(owned, 'streamed');
    } catch (error) {
      this.events.pdf(owned, 'unrecorded', error);
    }
  }
}
