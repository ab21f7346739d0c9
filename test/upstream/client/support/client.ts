import { UpstreamConfig } from '../../../../src/platform/config/config.js';
import { Rotating, Secret } from '../../../../src/platform/config/secret.js';
import { Log } from '../../../../src/platform/platform/log.js';
import { Metrics } from '../../../../src/platform/platform/metrics.js';
import { NetworkGate } from '../../../../src/platform/platform/network-gate.js';
import { ThisProcess } from '../../../../src/platform/platform/this-process.js';
import { UpstreamClient } from '../../../../src/upstream/client/upstream.client.js';
import { Budget } from '../../../../src/upstream/transport/budget.js';
import { Transport } from '../../../../src/upstream/transport/transport.js';
import { TransportTuning } from '../../../../src/upstream/transport/transport-tuning.js';
import { UnreadableItems } from '../../../../src/upstream/transport/unreadable-items.js';
import { UpstreamError } from '../../../../src/upstream/transport/upstream-error.js';
import { FakeClock } from '../../../support/fake-clock.js';

export const apiKey = 'sk_us_canary_key';
export const now = Date.parse('2026-11-20T12:00:00.000Z');

export interface ClientUnderTest {
  client: UpstreamClient;
  transport: Transport;
  gate: NetworkGate;
  clock: FakeClock;
  metrics: Metrics;
  logged: string[];
  /** The pauses before retries, in order; none is really waited for. */
  pauses: number[];
}

type Section<T> = { -readonly [Name in keyof T]: T[Name] };

/** The client as the application builds it, with a rate no test feels and pauses that only get written down. */
export function clientFor(
  baseUrl: string,
  config: Partial<Section<UpstreamConfig>> = {},
  tuning: Partial<TransportTuning> = {},
): ClientUnderTest {
  const gate = new NetworkGate();
  const clock = new FakeClock(now);
  const metrics = new Metrics();
  const logged: string[] = [];
  const pauses: number[] = [];
  const log = new Log({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
  const upstream = new UpstreamConfig({
    baseUrl,
    apiKey: new Rotating(new Secret(apiKey)),
    apiKeyHeader: 'x-service-api-key',
    region: 'us',
    environment: 'sandbox',
    clientIdSecret: undefined,
    availabilityInput: 'body',
    maxConcurrency: 8,
    requestsPerSecond: 10_000,
    timeoutMs: 5_000,
    ...config,
  });
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  const transport = new Transport(
    upstream,
    gate,
    clock,
    metrics,
    log,
    Object.assign(new TransportTuning(), { sleep, random: () => 0.5, ...tuning }),
    new ThisProcess('test'),
    new Budget(upstream, { sharers: 1 }, clock),
    new UnreadableItems(metrics, log),
  );
  return { client: new UpstreamClient(transport), transport, gate, clock, metrics, logged, pauses };
}

/** The `UpstreamError` a call ends with. */
export async function errorOf(call: Promise<unknown>): Promise<UpstreamError> {
  const outcome = await call.then(
    () => 'no error',
    (error: unknown) => error,
  );
  if (outcome instanceof UpstreamError) return outcome;
  throw new Error(`expected an UpstreamError, got ${outcome instanceof Error ? outcome.name : String(outcome)}`);
}
