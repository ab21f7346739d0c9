import { readFileSync, writeFileSync } from 'node:fs';
import { views } from '../../../src/app/rooms.js';
import { catalogue } from '../../../src/health/catalogue/catalogue.js';
import { loinc, valuesOf } from '../../../src/health/catalogue/dictionary.js';
import { dbtSources, dictionary } from './support/dictionary.js';

const made = [
  ['docs/data-dictionary.md', dictionary],
  ['examples/analytics/sources.yml', dbtSources],
] as const;

describe('the data dictionary', () => {
  it.each(made)('is in %s as `node scripts/dictionary.mjs` writes it', (path, text) => {
    if (process.env['DICTIONARY_WRITE']) writeFileSync(path, text());
    expect(readFileSync(path, 'utf8')).toBe(text());
  });

  it('has every code of the catalogue at a value, and only codes with a right check digit', () => {
    const codes = catalogue.flatMap((resource) => valuesOf(resource).map((value) => value.loinc));
    const used = codes.filter((code) => code !== null);
    expect(used.toSorted()).toEqual(Object.values(loinc).toSorted());
    expect(used.filter((code) => checkDigit(code.split('-')[0] ?? '') !== Number(code.split('-')[1]))).toEqual([]);
  });

  it('names views and columns once, in words that SQL needs no quotes for', () => {
    const names = views.flatMap(({ name, columns }) => [name, ...columns.map((column) => `${name}.${column.name}`)]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/.test(name))).toEqual([]);
  });
});

/** Mod 10 as LOINC computes it: every second digit from the right is doubled. */
function checkDigit(number: string): number {
  const sum = [...number].reverse().reduce((total, digit, place) => {
    const shown = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (shown > 9 ? shown - 9 : shown);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
