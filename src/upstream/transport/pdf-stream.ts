import { finished, type Readable, Transform } from 'node:stream';

export interface PdfStreamRules {
  /** Longest time without a byte, in milliseconds. */
  idleMs: number;
  /** Longest time until the last byte, in milliseconds. */
  totalMs: number;
  maxBytes: number;
  signal: AbortSignal | undefined;
  /** The error the reader gets if upstream disconnects or stalls, or a limit is reached. */
  broken: (reason: 'network' | 'timeout' | 'too_large') => Error;
}

/**
 * Streams the bytes without buffering the file. A broken connection ends the result with our error, because the
 * library's contains the key. A truncated file never looks complete. Closing the result closes the source.
 */
export function passThrough(source: Readable, rules: PdfStreamRules): Readable {
  const { signal } = rules;
  let bytes = 0;
  const out = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      idle.refresh();
      bytes += chunk.length;
      if (bytes > rules.maxBytes) done(rules.broken('too_large'));
      else done(null, chunk);
    },
  });
  const late = (): void => void out.destroy(rules.broken('timeout'));
  const idle = setTimeout(late, rules.idleMs);
  const total = setTimeout(late, rules.totalMs);
  const cancel = (): void => {
    out.destroy(signal?.reason as Error);
  };
  signal?.addEventListener('abort', cancel, { once: true });
  finished(source, (error) => {
    if (error) out.destroy(rules.broken('network'));
  });
  out.once('close', () => {
    clearTimeout(idle);
    clearTimeout(total);
    signal?.removeEventListener('abort', cancel);
    source.destroy();
  });
  return source.pipe(out);
}
