import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

/*
 * node scripts/bundle.mjs [FOLDER]
 *
 * Replaces the compiled programs of the service (dist/src/main*.js) by ones that bring everything they load in a few
 * files, and puts its threads beside them: Node takes twice as long to load three thousand files. All else in `dist`
 * stays as the compiler made it. docs/decisions/0031-given-up.md
 */

/** Stay packages: native drivers, and what Nest, TypeORM and pg look for and do without. */
const external = [
  'better-sqlite3',
  'better-sqlite3-*',
  'pg-native',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  '@nestjs/platform-express',
  '@fastify/view',
  '@fastify/multipart',
  'class-transformer/storage',
];

/** Packages whose modules are taken in place of CommonJS, so that what nobody uses is left out of the bundle. */
const alias = {
  'class-validator': fileURLToPath(import.meta.resolve('class-validator/esm2015/index.js')),
  'rxjs/operators': fileURLToPath(new URL('../esm/operators/index.js', import.meta.resolve('rxjs'))),
  rxjs: fileURLToPath(new URL('../esm/index.js', import.meta.resolve('rxjs'))),
};

/** What CommonJS packages expect to find in a module. */
const commonJs = `import { createRequire as bundledRequire } from 'node:module';
import { fileURLToPath as bundledPath } from 'node:url';
const require = bundledRequire(import.meta.url);
const __filename = bundledPath(import.meta.url);
const __dirname = bundledPath(new URL('.', import.meta.url));`;

/**
 * Packages, without maps of their own: some name files that are not there, like ours. The helpers that derive one DTO
 * from another look for the validator at run time, past the bundle, and would write into the tables of a second copy;
 * they get the one that is bundled, by an import, so that what nobody uses of it is left out.
 */
const packages = {
  name: 'packages',
  setup({ onResolve, onLoad }) {
    // The pipe of requests would load it by itself; it is handed what it uses (src/http/server/validation.ts).
    onResolve({ filter: /^class-validator$/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : null));
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/gm, '');
      return { contents: /mapped-types.dist.type-helpers\.utils\.js$/.test(path) ? withValidator(text, path) : text };
    });
  },
};

function withValidator(text, path) {
  const contents = text
    .replace('const require = createRequire(import.meta.url);', `import * as classValidator from 'class-validator';`)
    .replaceAll(/(const classValidator = )?require\('class-validator'\);/g, '');
  if (!contents.includes('import * as classValidator') || contents.includes(`require('class-validator')`)) {
    throw new Error(`${path} is not as expected; see scripts/bundle.mjs.`);
  }
  return contents;
}

/**
 * A map of which line came from which of ours; of packages it says the file only. A whole map holds the event loop for
 * a quarter of a second, and 80 MB, once the first error is described.
 */
function lineMap({ mappings, ...map }) {
  const isPackage = map.sources.map((source) => source.includes('node_modules/'));
  let last = [];
  const lines = decode(mappings).map((segments) => {
    const kept = [];
    for (const [column, source, line] of segments) {
      const isSaid = source === last[0] && (line === last[1] || isPackage[source]);
      if (source === undefined || isSaid) continue;
      kept.push([column, source, line, 0]);
      last = [source, line];
    }
    return kept;
  });
  return { ...map, names: [], mappings: encode(lines) };
}

/**
 * With one letter outside ASCII V8 keeps the whole file with two bytes a letter, in each thread. What esbuild leaves of
 * them is in comments and regular expressions, where an escape says the same.
 */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export async function bundle(folder) {
  const src = join(folder, 'src');
  const files = readdirSync(src, { recursive: true });
  const entries = files.filter((file) => /^main[^/\\]*\.js$|\.thread\.js$/.test(file));
  const { outputFiles } = await build({
    entryPoints: entries.map((file) => ({ in: join(src, file), out: basename(file, '.js') })),
    outdir: src,
    write: false,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    alias,
    minifyWhitespace: true,
    // Local names and the forms of statements; a quarter of the text, which each thread keeps.
    minifyIdentifiers: true,
    minifySyntax: true,
    // A line of megabytes would be printed whole where Node shows one of an error.
    lineLimit: 1_000,
    plugins: [packages],
    banner: { js: commonJs },
    // Classes are known by their names in logs, and migrations in the database.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    writeFileSync(path, path.endsWith('.map') ? JSON.stringify(lineMap(JSON.parse(text))) : inAscii(text));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(resolve(process.argv[2] ?? 'dist'));
