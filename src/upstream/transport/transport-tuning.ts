import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { CircuitRule } from './circuit.js';
import type { RetryRule } from './retry.js';
import {
  CIRCUIT_OPEN_MS,
  DEADLINE_TIMEOUTS,
  MAX_CALL_TRIES,
  MAX_CIRCUIT_OPEN_MS,
  MAX_FAILURES_IN_A_ROW,
  MAX_PDF_MS,
  MAX_RETRY_MS,
  RETRY_BASE_MS,
} from './tuning.js';

/** Settings without an environment variable. */
@Injectable()
export class TransportTuning {
  retry: RetryRule = {
    tries: MAX_CALL_TRIES,
    backoff: { baseMs: RETRY_BASE_MS, capMs: MAX_RETRY_MS, factor: 2, jitter: 1 },
  };
  circuit: CircuitRule = { failures: MAX_FAILURES_IN_A_ROW, openMs: CIRCUIT_OPEN_MS, maxOpenMs: MAX_CIRCUIT_OPEN_MS };
  maxResponseBytes = 32 * 1024 * 1024;
  /** Limits of a streamed PDF. The longest pause without a byte is the timeout of one attempt. */
  maxPdfBytes = 128 * 1024 * 1024;
  maxPdfMs = MAX_PDF_MS;
  /** Deadline of a background call, in timeouts of one attempt. The deadline of an interactive call is one timeout. */
  deadlineMultiplier = DEADLINE_TIMEOUTS;
  random: () => number = Math.random;
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) => wait(ms, undefined, { signal });
}
