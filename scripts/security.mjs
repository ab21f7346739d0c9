import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/*
 * npm run test:security [-- --seed N] [--few]
 * Runs all attacks of test/security; --few runs only those of `npm test`. The seed determines the values and their
 * order, and is printed.
 */

const { values } = parseArgs({ options: { seed: { type: 'string' }, few: { type: 'boolean', default: false } } });
const seed = values.seed ?? String(Date.now() % 1_000_000);
process.stdout.write(`npm run test:security -- --seed ${seed}${values.few ? ' --few' : ''}\n`);
const env = { ...process.env, SECURITY_SEED: seed, SECURITY_ALL: values.few ? '0' : '1' };
const jest = ['node_modules/jest/bin/jest.js', 'test/security/', '--testTimeout=1800000', '--runInBand'];
process.exit(spawnSync(process.execPath, jest, { env, stdio: 'inherit' }).status ?? 1);
