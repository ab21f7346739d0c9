import { ownAddress } from './platform/config/environment.js';

const PATIENCE_MS = 2_500;

/**
 * `npm run health`, the health check of a container: ends with 0 if the service of this environment is alive, else with
 * 1. Reads nothing of the configuration but the address: a service whose secrets are being replaced is alive.
 */
async function main(): Promise<void> {
  const answer = await fetch(`${ownAddress()}/livez`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  process.exitCode = answer.ok ? 0 : 1;
}

main().catch(() => {
  process.exitCode = 1;
});
