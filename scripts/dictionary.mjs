import { spawnSync } from 'node:child_process';

/*
 * node scripts/dictionary.mjs: writes docs/data-dictionary.md and examples/analytics/sources.yml from the views and the
 * catalogue in src.
 */

const jest = ['node_modules/jest/bin/jest.js', 'test/storage/analytics/dictionary.spec.ts'];
const { status } = spawnSync(process.execPath, jest, {
  stdio: 'inherit',
  env: { ...process.env, DICTIONARY_WRITE: '1' },
});
process.exitCode = status ?? 1;
