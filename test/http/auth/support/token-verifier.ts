import { AppTokenVerifier } from '../../../../src/http/auth/app-token.verifier.js';
import { KeySetTelemetry } from '../../../../src/http/auth/key-set.telemetry.js';
import type { AppAuthConfig } from '../../../../src/platform/config/config.js';
import { CodedError } from '../../../../src/platform/platform/errors.js';
import { Log } from '../../../../src/platform/platform/log.js';
import { Metrics } from '../../../../src/platform/platform/metrics.js';
import { ThisProcess } from '../../../../src/platform/platform/this-process.js';
import type { FakeClock } from '../../../support/fake-clock.js';

/** A standalone verifier. */
export function tokenVerifier(
  config: AppAuthConfig,
  clock: FakeClock,
  process = new ThisProcess('test'),
): AppTokenVerifier {
  const log = new Log({ level: 'error', destination: { write: () => undefined } });
  return new AppTokenVerifier(config, clock, new KeySetTelemetry(log, new Metrics(), process, clock));
}

/** `accepted`, or the code of the refusal. */
export async function codeOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return 'accepted';
  } catch (error) {
    return error instanceof CodedError ? error.code : `unexpected ${String(error)}`;
  }
}
