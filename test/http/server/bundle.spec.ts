import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

const folder = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'src');
const files = readdirSync(folder).filter((file) => readdirSync(folder).includes(`${file}.map`));

/** What a file of the bundle loads with itself. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  return [...text.matchAll(/^import\s(?:[^'";]*\sfrom\s)?"([^"]+)";$/gm)].map(([, name = '']) => name);
}

describe('the bundle of the service', () => {
  it('contains the programs and their threads', () => {
    expect(files.filter((file) => /^main|thread/.test(file)).sort()).toEqual([
      'log-checkpoints.thread.js',
      'long-body.thread.js',
      'main-cli.js',
      'main-health.js',
      'main-migrate.js',
      'main.js',
      'make-backup.thread.js',
      'reader.thread.js',
    ]);
  });

  it('loads no external package at its start but the two that Nest looks for by name', () => {
    const loaded = new Set(files.flatMap((file) => importsOf(file)));
    expect([...loaded]).toEqual(expect.arrayContaining(['node:fs', expect.stringMatching(/^\.\/chunk-/)]));
    const packages = [...loaded].filter((name) => !name.startsWith('./') && !isBuiltin(name));
    expect(packages.sort()).toEqual(['class-transformer', 'class-validator']);
  });
});
