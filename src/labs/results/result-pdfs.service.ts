import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { ResultSubject } from '../orders/result-subject.js';
import { type OwnedSubject, ResultSubjects } from './result-subjects.js';
import { ResultsTelemetry } from './results.telemetry.js';
import { UpstreamResults } from './upstream-results.js';

/** Digest and size of a completed stream. */
export interface Measure {
  /** SHA-256 of the bytes, in hex. */
  readonly checksum: string;
  readonly bytes: number;
}

export interface Measuring {
  /** Called after the last byte. The stream ends after the promise resolves. */
  readonly whole: (measure: Measure) => Promise<void>;
  /** Called if the stream ended early, with the source's error, or Node's own if the reader left. */
  readonly cut: (error: Error) => void;
}

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
    const pdf = measured(stream, {
      whole: (measure) => this.record(owned, measure, observedAt),
      cut: (error) => this.telemetry.pdf(subject, error instanceof UpstreamError ? 'broken' : 'left', error),
    });
    if (await hasBegun(pdf)) return pdf;
    throw new AppError('upstream_contract', 'Upstream returned an empty PDF.');
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

/** Streams and measures the bytes. If one side ends early, the other ends too. */
export function measured(source: Readable, { whole, cut }: Measuring): Readable {
  const hash = createHash('sha256');
  let bytes = 0;
  const out = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      whole({ checksum: hash.digest('hex'), bytes }).then(() => done(), done);
    },
  });
  pipeline(source, out, (error) => {
    if (error) cut(error);
  });
  return out;
}

/** Resolves to true once there are bytes to read, or to false if the stream is empty. Rejects with its error. */
export async function hasBegun(stream: Readable): Promise<boolean> {
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve);
    stream.once('error', reject);
  });
  return stream.readableLength > 0;
}
