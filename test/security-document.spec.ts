import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve('.');
const text = readFileSync(resolve(root, 'SECURITY.md'), 'utf8');

interface Threat {
  readonly threat: string;
  readonly measure: string;
  readonly tests: readonly string[];
}

function threats(): Threat[] {
  const [, section = ''] = text.split('## Threats, measures, tests');
  const [table = ''] = section.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) => {
    const [, threat = '', measure = '', held = ''] = line.split('|').map((cell) => cell.trim());
    return { threat, measure, tests: Array.from(held.matchAll(/`([^`]+)`/g), ([, path]) => String(path)) };
  });
}

describe('SECURITY.md', () => {
  it('has a measure and a test for each threat', () => {
    expect(threats().length).toBeGreaterThan(20);
    expect(threats().filter(({ measure, tests }) => measure === '' || tests.length === 0)).toEqual([]);
  });

  it('names only tests and pages that exist', () => {
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, path]) => String(path));
    const paths = [...threats().flatMap(({ tests }) => tests), ...links];
    expect(paths.filter((path) => !existsSync(resolve(root, path.replace(/#.*/, ''))))).toEqual([]);
    expect(threats().flatMap(({ tests }) => tests.filter((path) => !path.endsWith('.spec.ts')))).toEqual([]);
  });

  it('describes how to change each kind of key', () => {
    for (const key of ['webhook secret', 'admin key', 'upstream key', 'APP_JWT_SECRET', 'APP_JWT_JWKS_URL']) {
      expect(text).toContain(key);
    }
  });
});
