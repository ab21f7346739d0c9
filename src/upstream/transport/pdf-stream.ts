import { finished, type Readable, Transform } from 'node:stream';

export interface PdfStreamRules {
  /** Longest time without a byte passing, in milliseconds. */
  idleMs: number;
  signal: AbortSignal | undefined;
  /** The error the reader meets when upstream breaks off or stalls. */
  broken: (reason: 'network' | 'timeout') => Error;
}

/**
 * Passes the bytes on without gathering them. A line that breaks ends the result with our error and never with the
 * library's, which would carry the key; a file cut short never looks whole; nothing stays open once the reader is gone.
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
