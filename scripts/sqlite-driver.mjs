import { execSync } from 'node:child_process';
import { createRequire } from 'node:module';

/*
 * npm run driver [-- --encrypted]
 * Makes sure that the SQLite driver can be loaded. From Node 22.14 on, its package includes it. Node 20 needs an older
 * version, whose installer downloads a build for this machine, or compiles it with Python and a C++ compiler. With
 * --encrypted, does the same for the driver of encrypted files (DATABASE_KEY).
 * docs/decisions/0012-node-lines-and-the-sqlite-driver.md
 */

/** The same choice as in src/storage/database/sqlite-driver.ts. */
const olderDrivers = ['better-sqlite3-node-20'];
if (process.argv.includes('--encrypted')) olderDrivers.push('better-sqlite3-multiple-ciphers-node-20');

function opens(driver) {
  try {
    const Database = createRequire(import.meta.url)(driver);
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

for (const driver of Number(process.versions.napi) < 10 ? olderDrivers : []) {
  if (opens(driver)) continue;
  process.stderr.write(
    `The SQLite driver of Node ${process.versions.node} is installed once; compiling takes minutes.\n`,
  );
  execSync(`npm rebuild ${driver} --ignore-scripts=false --loglevel=error`, { stdio: 'inherit' });
}
