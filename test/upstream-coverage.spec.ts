import { readdirSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { anchorsOf } from './support/headings.js';
import { idsOf } from './support/test-titles.js';

const root = resolve('.');
const notFacts = ['README.md', 'resources.md', 'enums.md'];

const filesIn = (folder: string): string[] =>
  readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => resolve(root, folder, name));

/** `users#create` for each heading of the second level. */
function headings(): string[] {
  const pages = filesIn('docs/upstream').filter((page) => page.endsWith('.md') && !notFacts.includes(basename(page)));
  return pages.flatMap((page) => anchorsOf(page, 2, 2).map((at) => `${basename(page, '.md')}#${at}`));
}

/** Headings that nothing holds, and why. */
function reasons(): Map<string, string> {
  const text = readFileSync(resolve(root, 'docs/upstream-coverage.md'), 'utf8');
  return new Map(Array.from(text.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm), ([, id = '', why = '']) => [id, why]));
}

describe('the facts of docs/upstream', () => {
  const all = headings();
  const unheld = reasons();
  const specs = ['src', 'test'].flatMap(filesIn).filter((path) => path.endsWith('.spec.ts'));
  const held = new Set(specs.flatMap((spec) => [...idsOf(spec)]));

  it('are many, and each has one heading', () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([]);
  });

  it('are each named at the end of a test title, or listed in docs/upstream-coverage.md with a reason', () => {
    expect(all.filter((id) => !held.has(id) && !unheld.has(id))).toEqual([]);
    expect(all.filter((id) => held.has(id) && unheld.has(id))).toEqual([]);
  });

  it('include all that titles and reasons name', () => {
    expect([...held, ...unheld.keys()].filter((id) => !all.includes(id))).toEqual([]);
  });

  it('lack a test only for a reason that names who is responsible', () => {
    expect([...unheld].filter(([, why]) => !/^(Not ours|Not built|Not stated): .{15,}/.test(why))).toEqual([]);
  });
});
