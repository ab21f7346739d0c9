import { spawnSync } from 'node:child_process';

/*
 * node scripts/openapi.mjs [--release]
 * Calls every route of the service with synthetic data, writes openapi.json with the requests and responses, checks it,
 * and updates the responses in docs/app.md and the types of the TypeScript client. With --release, the document also
 * becomes the last version, which later versions must not break.
 */

const OPENAPI_WRITE = process.argv.includes('--release') ? 'release' : 'current';
const jest = [
  'node_modules/jest/bin/jest.js',
  'test/app/openapi/openapi-json.spec.ts',
  'test/app/openapi/app-document.spec.ts',
];
const { status } = spawnSync(process.execPath, jest, {
  stdio: 'inherit',
  env: { ...process.env, OPENAPI_WRITE },
});
const client = spawnSync(process.execPath, ['scripts/client.mjs'], { stdio: 'inherit' });
process.exitCode = status || client.status || 0;
