import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The text from a heading to the next one of its level. */
function section(heading: string): string {
  const start = readme.indexOf(`\n## ${heading}\n`);
  const end = readme.indexOf('\n## ', start + 1);
  return start < 0 ? '' : readme.slice(start, end < 0 ? undefined : end);
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/from '(\.{1,2}\/[^']+)\.js'/g)].map((match) =>
    relative(root, resolve(root, path, '..', `${match[1]}.ts`)),
  );
}

describe('the way of a webhook in README.md', () => {
  const [before = [], after = []] = (section('The way of a webhook').split('```')[1] ?? '')
    .split(/^ +-+ committed, then 204$/m)
    .map((part) => [...part.matchAll(/^([a-z]\S+) {2,}\S/gm)].map((match) => `src/${match[1]}.ts`));
  const files = [...before, ...after];

  it('names files that exist, each once', () => {
    expect(before.length).toBeGreaterThan(0);
    expect(after.length).toBeGreaterThan(0);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it('leads from file to file by their imports', () => {
    const unreached = files.filter((path, index) => {
      return index > 0 && !files.slice(0, index).some((earlier) => importsOf(earlier).includes(path));
    });
    expect(unreached).toEqual([]);
  });

  it('passes at most four files before the 204 and twelve after it', () => {
    expect(before.length).toBeLessThanOrEqual(4);
    expect(after.length).toBeLessThanOrEqual(12);
  });
});
