/** The version of this program; a test holds it equal to package.json. */
export const version = '0.9.0';

/**
 * The lines of Node on which the demo and all tests pass, each with the first minor version that can run this program:
 * 20.19 is the first of its line that lets CommonJS packages load ES modules, 22.14 the first with the Node-API version
 * that the SQLite driver is built for, 24.11 the first that TypeORM supports. `engines` in package.json says the same.
 */
const firstMinors: Readonly<Record<number, number>> = { 20: 19, 22: 14, 24: 11, 26: 0 };

/**
 * Support of a version of Node: `tested` where the demo and all tests pass on its line, `untested` where nobody
 * has run them, `too_old` where this program cannot run.
 */
export type NodeStanding = 'tested' | 'untested' | 'too_old';

/** Of a version such as `24.21.0`. */
export function nodeStanding(version: string): NodeStanding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const first = firstMinors[major];
  if (first !== undefined) return minor >= first ? 'tested' : 'too_old';
  return major > 22 ? 'untested' : 'too_old';
}
