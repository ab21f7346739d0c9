import { spawnSync } from 'node:child_process';

/**
 * True if a program accepts connections there; decides which tests are skipped, so it is known before they are defined.
 */
export function listens(port: number): boolean {
  const program = `require('net').connect(${port}, '127.0.0.1').on('connect', () => process.exit(0))`;
  return spawnSync(process.execPath, ['--eval', program], { stdio: 'ignore' }).status === 0;
}
