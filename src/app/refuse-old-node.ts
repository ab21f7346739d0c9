import { nodeStanding } from '../platform/config/versions.js';

/*
 * Imported first by every program that a person starts: what is imported after it may not even load on an old Node, and
 * would end with an error of a package in place of this sentence.
 */
const version = process.versions.node;
if (nodeStanding(version) === 'too_old') {
  process.stderr.write(`Node ${version} is too old. Use Node 24; 20.19, 22.14, 24.11, 26.0 and later of these work.\n`);
  process.exit(1);
}
