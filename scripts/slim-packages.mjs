import { readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/*
 * node scripts/slim-packages.mjs [FOLDER]
 * Deletes files of installed packages that Node never loads: types, source maps, documentation, C sources, and native
 * drivers for other platforms. This makes the image a third smaller.
 */

const packages = resolve(process.argv[2] ?? 'node_modules');
const unneeded = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|gyp|c|cc|cpp|h|hpp|flow)$/;
/** Native builds are named after platform and architecture; `linuxmusl` is for other images. */
const prebuilt = /^(darwin|win32|linux|linuxmusl)-\w+\.node$/;
const own = `${process.platform}-${process.arch}.node`;

for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const isForeignBuild = prebuilt.test(entry.name) && basename(entry.name) !== own;
  if (unneeded.test(entry.name) || isForeignBuild) rmSync(join(entry.parentPath ?? entry.path, entry.name));
}
for (const driver of ['better-sqlite3', 'better-sqlite3-multiple-ciphers']) {
  for (const sources of ['deps', 'src']) rmSync(join(packages, driver, sources), { recursive: true, force: true });
}
