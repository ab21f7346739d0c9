import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';

/** What went through. */
export interface Measure {
  /** SHA-256 of the bytes, in hex. */
  readonly checksum: string;
  readonly bytes: number;
}

export interface Measuring {
  /** Told once all bytes are through; the end waits for it. */
  readonly whole: (measure: Measure) => Promise<void>;
  /** Told when it ended early: with the error of the source, or with Node's own because the reader went away. */
  readonly cut: (error: Error) => void;
}

/** Passes the bytes on as fast as they are read, and measures them. Whichever side ends early takes the other along. */
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

/** Resolves with true once there is something to read, with false for a stream without a byte; throws its error. */
export async function hasBegun(stream: Readable): Promise<boolean> {
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve);
    stream.once('error', reject);
  });
  return stream.readableLength > 0;
}
