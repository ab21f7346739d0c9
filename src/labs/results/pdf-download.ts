import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { AppError } from '../../platform/platform/errors.js';

/** Digest and size of a completed stream. */
export interface Measure {
  /** SHA-256 of the bytes, in hex. */
  readonly checksum: string;
  readonly bytes: number;
  /** The bytes, if they are wanted and few enough. */
  readonly content: Buffer | null;
}

export interface Measuring {
  /** Called after the last byte. The stream ends after the promise resolves. */
  readonly whole: (measure: Measure) => Promise<void>;
  /** Most bytes that `content` may have; none by default. */
  readonly contentUpTo?: number;
  /** Called if the stream ended early, with the source's error, or Node's own if the reader left. */
  readonly cut: (error: Error) => void;
}

/**
 * The measured stream of a PDF from upstream, once its first byte has arrived. The caller must read or destroy it. It
 * ends with an error if upstream's stream breaks. Throws `upstream_contract` for an empty PDF, and the error of the
 * source.
 */
export async function openPdf(source: Readable, measuring: Measuring): Promise<Readable> {
  const pdf = measured(source, measuring);
  if (await hasBegun(pdf)) return pdf;
  throw new AppError('upstream_contract', 'Upstream returned an empty PDF.');
}

/** Streams and measures the bytes. If one side ends early, the other ends too. */
export function measured(source: Readable, { whole, cut, contentUpTo = 0 }: Measuring): Readable {
  const hash = createHash('sha256');
  let bytes = 0;
  let chunks: Buffer[] = [];
  const out = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes <= contentUpTo) chunks.push(chunk);
      else chunks = [];
      done(null, chunk);
    },
    flush(done) {
      const content = bytes > 0 && bytes <= contentUpTo ? Buffer.concat(chunks) : null;
      whole({ checksum: hash.digest('hex'), bytes, content }).then(() => done(), done);
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
