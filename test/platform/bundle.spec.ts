import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin, SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'src');
const files = readdirSync(folder).filter((file) => readdirSync(folder).includes(`${file}.map`));

/** Where a text of the bundle comes from, as a stack would name it. */
function origin(text: string): { path: string; line: number } {
  const file = files.find((name) => readFileSync(join(folder, name), 'utf8').includes(text)) ?? '';
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const line = lines.findIndex((each) => each.includes(text));
  const map = new SourceMap(JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')) as SourceMapPayload);
  const found = map.findEntry(line, lines[line]?.indexOf(text) ?? 0);
  if (!('originalSource' in found)) throw new Error(`${text} is of unknown origin`);
  return {
    path: fileURLToPath(new URL(found.originalSource, pathToFileURL(join(folder, file)))),
    line: found.originalLine,
  };
}

describe('the bundle of the service', () => {
  it('holds the programs and their threads', () => {
    expect(files.filter((file) => /^main|thread/.test(file)).sort()).toEqual([
      'background.thread.js',
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

  it('tells of each line of ours which one it was, and of packages the file', () => {
    const text = 'A migration failed: ';
    const { path, line } = origin(text);
    expect(path).toMatch(/\/src\/schema\/migrate\.ts$/);
    expect(readFileSync(path, 'utf8').split('\n')[line]).toContain(text);
    expect(origin('Cannot perform update query because').path).toMatch(
      /\/node_modules\/typeorm\/.*UpdateValuesMissingError\.js$/,
    );
  });

  it('is ASCII, so that an engine keeps it with one byte a letter', () => {
    const texts = files.map((file) => readFileSync(join(folder, file)));
    expect(files.filter((_, index) => texts[index]?.some((byte) => byte > 0x7f))).toEqual([]);
  });

  it('loads no package at run time but what stays one', () => {
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    const loaded = [...text.matchAll(/^import .*?from "([^"]+)";$/gm)].map(([, name = '']) => name);
    const packages = loaded.filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
    expect(packages.filter((name) => !isBuiltin(name))).toEqual([]);
  });
});
