import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin, SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { validator } from '../../../src/http/server/validation.js';

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

/** What a file of the bundle loads with itself. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  return [...text.matchAll(/(?:^|[;}])import(?:[\w$*{}, ]+from)? ?"([^"]+)"/gm)].map(([, name = '']) => name);
}

describe('the bundle of the service', () => {
  it('holds the programs and their threads', () => {
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
    const loaded = files.flatMap((file) => importsOf(file));
    expect(loaded).toEqual(expect.arrayContaining(['node:fs', expect.stringMatching(/^\.\/chunk-/)]));
    expect(loaded.filter((name) => !name.startsWith('./') && !isBuiltin(name))).toEqual([]);
  });

  it('loads the rules of class-validator that are used and no other', () => {
    const loaded = new Set(files.filter((file) => /^app-/.test(file)));
    for (const file of loaded) {
      for (const name of importsOf(file)) if (name.startsWith('./')) loaded.add(name.slice(2));
    }
    const withRule = (rule: string): string[] =>
      [...loaded].filter((file) => readFileSync(join(folder, file), 'utf8').includes(`"${rule}"`));
    expect(withRule('isUUID')).not.toEqual([]);
    expect(withRule('isPhoneNumber')).toEqual([]);
  });

  it('hands the pipe of requests all that it uses of class-validator', () => {
    const pipe = readFileSync(
      createRequire(import.meta.url).resolve('@nestjs/common/pipes/validation.pipe.js'),
      'utf8',
    );
    const used = [...pipe.matchAll(/classValidator\??\.(\w+)/g)].map(([, name = '']) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(validator)));
  });
});
