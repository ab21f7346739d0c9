/** Options of a sandbox; every field has a default. */
export interface SandboxOptions {
  /** Address to listen on. */
  host: string;
  port: number;
  apiKey: string;
  apiKeyHeader: string;
  seed: string;
  /** Null: `seed`. Another value gives message ids that no earlier run with the same seed used. */
  messageSeed: string | null;
  /** Users created at the start. */
  users: number;
  webhookUrl: string | null;
  /** Null: derived from the seed. */
  webhookSecret: string | null;
  /** File that keeps the state over a restart; null: in memory alone. */
  statePath: string | null;
  /** Factor by which waiting times are shortened; 0 = manual clock. */
  timeScale: number;
  /** Start of the sandbox clock in epoch milliseconds; 0 = now, or a fixed instant in manual mode. */
  startAt: number;
}

const MANUAL_START = Date.parse('2026-11-20T12:00:00Z');

export function completeOptions(given: Partial<SandboxOptions>): SandboxOptions {
  const timeScale = given.timeScale ?? 1;
  return {
    host: '127.0.0.1',
    port: 0,
    apiKey: 'sk_us_sandbox',
    apiKeyHeader: 'x-service-api-key',
    seed: 'sandbox',
    messageSeed: null,
    users: 0,
    webhookUrl: null,
    webhookSecret: null,
    statePath: null,
    ...given,
    timeScale,
    startAt: given.startAt ?? (timeScale === 0 ? MANUAL_START : 0),
  };
}
