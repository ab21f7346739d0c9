import { readFileSync } from 'node:fs';
import { variables } from '../src/platform/config/variables.js';

interface Line {
  name: string;
  value: string;
  off: boolean;
  comment: string;
}

/** Each variable with the comment above it as one line. */
function exampleLines(): Line[] {
  const blocks = readFileSync('.env.example', 'utf8').matchAll(/((?:^#.*\n)*)^(#?)([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return Array.from(blocks, ([, comment = '', off, name = '', value = '']) => {
    return { name, value, off: off === '#', comment: comment.replace(/^# /gm, '').trim().replaceAll('\n', ' ') };
  });
}

describe('.env.example', () => {
  const lines = exampleLines();

  it('has every variable of the code once, and no other', () => {
    expect(lines.map(({ name }) => name).sort()).toEqual(Object.keys(variables).sort());
  });

  it.each(Object.entries(variables))('says about %s what the code says', (name, variable) => {
    expect(lines.find((line) => line.name === name)).toEqual({
      name,
      value: variable.default ?? '',
      off: !variable.required && variable.default === undefined,
      comment: variable.required ? `${variable.text} Required.` : variable.text,
    });
    expect(variable.text).toMatch(/.{10,}\.$/);
  });

  it('lists the secrets, which can come from a file', () => {
    const [, listed = ''] = /NAME_FILE=PATH for (.*?)\. Setting/s.exec(readFileSync('.env.example', 'utf8')) ?? [];
    const secrets = Object.values(variables).filter(({ secret }) => secret);
    expect((listed.match(/[A-Z_]{4,}/g) ?? []).sort()).toEqual(secrets.map(({ name }) => name).sort());
  });
});
