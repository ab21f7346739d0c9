import { pulledResources } from './health/catalogue/catalogue.js';
import { ownEnvironment, readConfig } from './platform/config/environment.js';

const PATIENCE_MS = 2_500;
const everyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/**
 * `npm run health`, the health check of a container: ends with 0 if the service of this environment is alive, else with
 * 1.
 */
async function main(): Promise<void> {
  const { host, port } = readConfig(ownEnvironment(), pulledResources).http;
  const address = everyAddress[host] ?? (host.includes(':') ? `[${host}]` : host);
  const answer = await fetch(`http://${address}:${port}/livez`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  process.exitCode = answer.ok ? 0 : 1;
}

main().catch(() => {
  process.exitCode = 1;
});
