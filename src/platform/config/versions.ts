/** Version of this program; a test compares it with package.json. */
export const version = '0.9.0';

/**
 * Node lines on which the demo and all tests pass, each with the first minor version that can run this program:
 * 20.19 is the first of its line in which CommonJS packages can load ES modules, 22.14 the first with the Node-API
 * version of the SQLite driver, 24.11 the first that TypeORM supports. `engines` in package.json repeats them.
 */
const firstMinors: Readonly<Record<number, number>> = { 20: 19, 22: 14, 24: 11, 26: 0 };

/**
 * `tested`: the demo and all tests pass on this line. `untested`: they were not run on it. `too_old`: this program
 * cannot run.
 */
export type NodeStanding = 'tested' | 'untested' | 'too_old';

/** `version` has the form `24.21.0`. */
export function nodeStanding(version: string): NodeStanding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const first = firstMinors[major];
  if (first !== undefined) return minor >= first ? 'tested' : 'too_old';
  return major > 22 ? 'untested' : 'too_old';
}
