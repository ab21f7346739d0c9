import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

/** Writes compressed copies beside the files, because the service does not compress files itself. */
const compressed = {
  name: 'compressed-copies',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => file.startsWith('assets/'))) {
      const file = resolve(dir, name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  },
};

/** Warnings to ignore: directives are for servers that render React, and plugin timings are not faults. */
const quiet = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

/** All files except the page have a content hash in their names, so that browsers can cache them forever. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  plugins: [compressed],
  // Also needed when tests build the console.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: resolve(import.meta.dirname, '../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy forbids data: URLs and inline scripts.
    assetsInlineLimit: 0,
    // A style sheet that failed to load would not be retried.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      onLog: (level, log, write) => {
        if (!quiet.has(log.code)) write(level, log);
      },
    },
  },
});
