#!/usr/bin/env node
import { existsSync } from 'node:fs';

/** The command `pulsekeep`: the operators' command line, as built. */
const program = new URL('../dist/src/main-cli.js', import.meta.url);
if (existsSync(program)) {
  process.setSourceMapsEnabled(true);
  await import(program.href);
} else {
  process.stderr.write('This copy is not built yet: npm run build\n');
  process.exitCode = 1;
}
