import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * `npm run openapi:lint`: checks openapi.json with redocly and spectral, and compiles the types that openapi-typescript
 * makes of it in strict mode. Exits with 1 at the first warning.
 */

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const document = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const types = join(folder, 'api.d.ts');

/** True if it exited with 0. Its packages are next to this file. */
function run(command, ...args) {
  process.stdout.write(`${command}\n`);
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(join(here, 'node_modules/.bin', command), args, { stdio: 'inherit', cwd: here, env }).status === 0;
}

function compiles() {
  const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const args = [compiler, '--strict', '--noEmit', '--exactOptionalPropertyTypes', types];
  return spawnSync(process.execPath, args, { stdio: 'inherit', cwd: folder }).status === 0;
}

const good = [
  run('redocly', 'lint', document, '--config', 'redocly.yaml', '--max-problems', '200'),
  run('spectral', 'lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'warn'),
  run('openapi-typescript', document, '--output', types) && compiles(),
].every(Boolean);
rmSync(folder, { recursive: true });
process.exitCode = good ? 0 : 1;
