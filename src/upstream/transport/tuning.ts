import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { CircuitRule } from './circuit.js';
import type { RetryRule } from './retry.js';

/** Settings without an environment variable. */
@Injectable()
export class TransportTuning {
  retry: RetryRule = { tries: 3, backoff: { baseMs: 500, capMs: 8_000, factor: 2, jitter: 1 } };
  circuit: CircuitRule = { failures: 10, openMs: 5_000, maxOpenMs: 60_000 };
  maxResponseBytes = 32 * 1024 * 1024;
  /** Limits of a streamed PDF. The longest pause without a byte is the timeout of one attempt. */
  maxPdfBytes = 128 * 1024 * 1024;
  maxPdfMs = 10 * 60_000;
  /** Deadline of a background call, in timeouts of one attempt. The deadline of an interactive call is one timeout. */
  deadlineMultiplier = 4;
  random: () => number = Math.random;
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) => wait(ms, undefined, { signal });
}
