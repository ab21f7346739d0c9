import { execSync } from 'node:child_process';
import { createRequire } from 'node:module';

/*
 * Makes sure that the SQLite driver can be loaded. From Node 22.14 on it comes ready with its package. Node 20 needs an
 * older one, whose own installer fetches it built for this machine, or compiles it with Python and a C++ compiler.
 * docs/decisions/0012-node-lines-and-the-sqlite-driver.md
 */

/** The same choice as in src/database/sqlite-driver.ts. */
const olderDriver = 'better-sqlite3-node-20';

function opens() {
  try {
    const Database = createRequire(import.meta.url)(olderDriver);
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

if (Number(process.versions.napi) < 10 && !opens()) {
  process.stderr.write(
    `The SQLite driver of Node ${process.versions.node} is installed once; compiling takes minutes.\n`,
  );
  execSync(`npm rebuild ${olderDriver} --ignore-scripts=false --loglevel=error`, { stdio: 'inherit' });
}
