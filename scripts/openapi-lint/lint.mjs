import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../dist/src/app.js';
import { pulledResources } from '../../dist/src/catalogue/catalogue.js';
import { readConfig } from '../../dist/src/config/environment.js';

/*
 * `npm run openapi:lint`: the document as the build serves it, judged by redocly and spectral, and turned into types by
 * openapi-typescript, which the strict compiler then has to accept. Ends with 1 at the first warning.
 */

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
const document = join(folder, 'openapi.json');
const types = join(folder, 'api.d.ts');

async function write() {
  const config = readConfig(
    {
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: `sqlite:${join(folder, 'store.sqlite')}`,
      UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
      UPSTREAM_API_KEY: 'sk_us_none',
      UPSTREAM_REGION: 'us',
      UPSTREAM_ENVIRONMENT: 'sandbox',
      WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
      APP_JWT_SECRET: 'a-secret-that-signs-nothing-at-all',
      ADMIN_API_KEYS: `nobody:operator:${'0'.repeat(64)}`,
    },
    pulledResources,
  );
  const { app, stop } = await createApp(config);
  writeFileSync(document, (await app.inject({ url: '/openapi.json' })).body);
  await stop();
}

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

await write();
const good = [
  run('redocly', 'lint', document, '--config', 'redocly.yaml', '--max-problems', '200'),
  run('spectral', 'lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'warn'),
  run('openapi-typescript', document, '--output', types) && compiles(),
].every(Boolean);
rmSync(folder, { recursive: true });
process.exitCode = good ? 0 : 1;
