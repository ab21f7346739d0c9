import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/*
 * node scripts/check-base-image.mjs IMAGE: ends with 1 unless IMAGE is named by its digest, which always means the same
 * bytes, and this Node, which came with it, is of the line in .nvmrc.
 */

const [image = ''] = process.argv.slice(2);
const line = readFileSync(resolve(import.meta.dirname, '../.nvmrc'), 'utf8').trim();
const problems = [
  !/^\S+@sha256:[0-9a-f]{64}$/.test(image) && 'NODE_IMAGE must end with a digest: NAME:TAG@sha256:<64 hex digits>.',
  process.versions.node.split('.')[0] !== line && `NODE_IMAGE must be of Node ${line}, not ${process.versions.node}.`,
].filter(Boolean);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
