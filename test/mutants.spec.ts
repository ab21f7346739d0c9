import { existsSync, readFileSync } from 'node:fs';

interface Mutant {
  area: string;
  file: string;
  text: string;
  becomes: string;
  breaks: string;
}

interface Mutants {
  areas: Record<string, string[]>;
  everywhere: string[];
  mutants: Mutant[];
}

const { areas, everywhere, mutants } = JSON.parse(readFileSync('test/mutants.json', 'utf8')) as Mutants;

describe('the mistakes of test/mutants.json', () => {
  it.each(mutants)('can be applied in $file: $breaks', ({ file, text, becomes }) => {
    const parts = readFileSync(file, 'utf8').split(text);
    expect([file, parts.length - 1]).toEqual([file, 1]);
    expect(becomes).not.toBe(text);
  });

  it('are searched for in existing folders', () => {
    const folders = [...Object.values(areas).flat(), ...everywhere];
    expect(folders.filter((folder) => !existsSync(folder))).toEqual([]);
    expect(new Set(mutants.map(({ area }) => area))).toEqual(new Set(Object.keys(areas)));
  });
});
