import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/*
 * npm run sbom
 * Prints the bill of materials (CycloneDX) of the packages that the service needs at run time, made by npm from the
 * lock file. `npm sbom --omit dev` omits packages that development packages need as well, so npm gets a lock file that
 * contains only run-time packages.
 */

const root = resolve(import.meta.dirname, '..');
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/**
 * Packages that `npm ci --omit=dev --omit=optional` installs; npm marks all others in the lock file. Packages of this
 * repository (`workspaces`) are for apps.
 */
function needed(packages) {
  return Object.entries(packages).filter(
    ([path, { dev, optional, devOptional, link }]) =>
      path.startsWith('node_modules/') && !dev && !optional && !devOptional && !link,
  );
}

function withoutOthers({ devDependencies, optionalDependencies, workspaces, ...manifest }) {
  return manifest;
}

const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  const manifest = withoutOthers(read('package.json'));
  const lock = read('package-lock.json');
  const packages = { ...Object.fromEntries(needed(lock.packages)), '': withoutOthers(lock.packages['']) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const npm = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (npm.status !== 0) throw new Error(`npm sbom failed: ${npm.stderr || npm.error?.message}`);
  const bill = JSON.parse(npm.stdout);
  // npm names the root after its folder.
  bill.metadata.component.name = manifest.name;
  for (const component of bill.components) component.type = 'library';
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
