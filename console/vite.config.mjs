import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

/** Compressed copies beside the files, because the service does not compress files while it sends them. */
const compressed = {
  name: 'compressed-copies',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => file.startsWith('assets/'))) {
      const file = resolve(dir, name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  },
};

/** Directives are for servers that render React; timings are no fault. */
const quiet = new Set(['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS']);

/** Every file but the page has the hash of its content in its name, so that browsers keep it for good. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  plugins: [compressed],
  // Also where tests build it.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: resolve(import.meta.dirname, '../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no data: addresses and no inline script.
    assetsInlineLimit: 0,
    // A style that could not be loaded would not be tried again.
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
