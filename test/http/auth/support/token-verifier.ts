import { AppTokenVerifier } from '../../../src/auth/app-token.verifier.js';
import { KeySetTelemetry } from '../../../src/auth/key-set.telemetry.js';
import type { AppAuthConfig } from '../../../src/config/config.js';
import { Log } from '../../../src/platform/log.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { ThisProcess } from '../../../src/process-state/this-process.js';
import type { FakeClock } from '../../support/fake-clock.js';

/** A verifier by itself. */
export function tokenVerifier(
  config: AppAuthConfig,
  clock: FakeClock,
  process = new ThisProcess('test'),
): AppTokenVerifier {
  const log = new Log({ level: 'error', destination: { write: () => undefined } });
  return new AppTokenVerifier(config, clock, new KeySetTelemetry(log, new Metrics(), process, clock));
}
