import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformFile } from '@swc/core';
import { bundle } from '../../scripts/bundle.mjs';
import '../../scripts/sqlite-driver.mjs';
import { makeTemplate } from './template.mjs';

/** Folders that contain the programs and their tests. */
const folders = [
  'src',
  'sandbox',
  'migrations',
  'demo',
  'harness',
  'chaos',
  'bench',
  'clients',
  'console',
  'examples',
  'test',
];

/** Inside the project, so that packages resolve; one per run, because runs may be parallel. */
const builtFolder = resolve(import.meta.dirname, `../../.test-build/${process.pid}`);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

/**
 * Jest's global setup: compiles the programs and the tests for Node to load (docs/decisions/0002-esm-and-jest.md),
 * bundles the service like `npm run build`, and creates the migrated database that each test copies.
 */
export default async function build() {
  process.env.PULSEKEEP_TEST_BUILD = builtFolder;
  const compile = async (file) => {
    const { code } = await transformFile(file, {
      swcrc: false,
      sourceMaps: 'inline',
      sourceFileName: resolve(file),
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        target: 'es2023',
        keepClassNames: true,
      },
      module: { type: 'es6' },
    });
    // The built console is served from the folder `console`, so its compiled rules are placed beside that.
    const target = join(builtFolder, file.replace(/\.ts$/, '.js').replace(/^console/, 'console-rules'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  };
  // Uses all processors.
  await Promise.all(folders.flatMap(sources).map(compile));
  writeFileSync(join(builtFolder, 'package.json'), '{"type":"module"}\n');
  await bundle(builtFolder);
  await makeTemplate(builtFolder);
}
