import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/*
 * node scripts/bundle.mjs [FOLDER]
 *
 * Replaces the compiled programs of the service (dist/src/main*.js) and their threads by ones that hold everything they
 * load in a few files, which halves the time of a start: Node would load 3,000 files. All else in `dist` stays as the
 * compiler made it.
 */

/** Stay packages: native drivers, what Nest looks for by name, and what Nest, TypeORM and pg do without. */
const external = [
  'better-sqlite3',
  'better-sqlite3-*',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
  'pg-native',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  '@nestjs/platform-express',
  '@fastify/view',
  '@fastify/multipart',
];

/** Globals that CommonJS packages expect in a module. */
const commonJs = `import { createRequire as bundledRequire } from 'node:module';
const require = bundledRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

export async function bundle(folder) {
  const src = join(folder, 'src');
  const programs = readdirSync(src, { recursive: true }).filter((file) => /^main[^/\\]*\.js$|\.thread\.js$/.test(file));
  await build({
    entryPoints: programs.map((file) => ({ in: join(src, file), out: basename(file, '.js') })),
    outdir: src,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    banner: { js: commonJs },
    // Classes are known by their names in logs, and migrations in the database.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle(resolve(process.argv[2] ?? 'dist'));
