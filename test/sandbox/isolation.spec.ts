import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve('sandbox');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

describe('the sandbox', () => {
  it('imports nothing from outside its folder but packages', () => {
    const strays = filesBelow(ROOT).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)]
        .map((match) => resolve(file, '..', match[1] ?? ''))
        .filter((target) => !target.startsWith(`${ROOT}/`)),
    );
    expect(strays).toEqual([]);
  });

  it('reads the environment only in main.ts', () => {
    const readers = filesBelow(ROOT).filter((file) => readFileSync(file, 'utf8').includes('process.env'));
    expect(readers).toEqual([join(ROOT, 'main.ts')]);
  });
});
