import { nodeStanding } from '../platform/config/versions.js';

/*
 * Every program that a person starts imports this first. On an old Node, later imports may fail to load with a
 * package's error instead of this message.
 */
const version = process.versions.node;
if (nodeStanding(version) === 'too_old') {
  process.stderr.write(
    `Node ${version} is too old. Use Node 24; 20.19, 22.14, 24.11, 26.0 or later on these lines also work.\n`,
  );
  process.exit(1);
}
