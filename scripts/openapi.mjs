import { spawnSync } from 'node:child_process';

/*
 * node scripts/openapi.mjs [--release]
 *
 * Calls every route of the service with synthetic data, writes openapi.json with what was sent and answered, and checks
 * it. With --release the document also becomes the last version, which later versions may not break.
 */

const OPENAPI_WRITE = process.argv.includes('--release') ? 'release' : 'current';
const jest = ['node_modules/jest/bin/jest.js', 'test/operations/openapi/openapi-json.spec.ts'];
const { status } = spawnSync(process.execPath, jest, {
  stdio: 'inherit',
  env: { ...process.env, OPENAPI_WRITE },
});
process.exitCode = status ?? 1;
