import { finished, type Readable, Transform } from 'node:stream';

export interface PdfStreamRules {
  /** Longest time without a byte, in milliseconds. */
  idleMs: number;
  signal: AbortSignal | undefined;
  /** The error the reader gets if upstream disconnects or stalls. */
  broken: (reason: 'network' | 'timeout') => Error;
}

/**
 * Streams the bytes without buffering the file. A broken connection ends the result with our error, because the
 * library's contains the key. A truncated file never looks complete. Closing the result closes the source.
 */
export function passThrough(source: Readable, rules: PdfStreamRules): Readable {
  const { signal } = rules;
  const out = new Transform({
    transform(chunk, _encoding, done) {
      idle.refresh();
      done(null, chunk);
    },
  });
  const idle = setTimeout(() => out.destroy(rules.broken('timeout')), rules.idleMs);
  const cancel = (): void => {
    out.destroy(signal?.reason as Error);
  };
  signal?.addEventListener('abort', cancel, { once: true });
  finished(source, (error) => {
    if (error) out.destroy(rules.broken('network'));
  });
  out.once('close', () => {
    clearTimeout(idle);
    signal?.removeEventListener('abort', cancel);
    source.destroy();
  });
  return source.pipe(out);
}
