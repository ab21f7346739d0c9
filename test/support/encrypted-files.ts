import { EncryptionUnavailable, encryptingDriver } from '../../src/storage/database/sqlite-driver.js';

export const databaseKey = '0f1e2d3c'.repeat(8);
export const anotherKey = 'a5'.repeat(32);

/** False if the driver of encrypted files cannot be loaded. */
export function isEncryptionInstalled(): boolean {
  try {
    encryptingDriver();
    return true;
  } catch (error) {
    if (!(error instanceof EncryptionUnavailable)) throw error;
    return false;
  }
}

/** Why encrypted files cannot be tested in this run; null if they can. */
function obstacle(): string | null {
  if (process.env['TEST_DATABASE_URL']) return 'they are of SQLite';
  return isEncryptionInstalled() ? null : 'their driver is not installed: npm run driver -- --encrypted';
}

/** A `describe` that is skipped, with the reason in its title, if encrypted files cannot be opened. */
export function describeEncrypted(title: string, tests: () => void): void {
  const reason = obstacle();
  if (reason === null) describe(title, tests);
  else describe.skip(`${title} (left out: ${reason})`, tests);
}
