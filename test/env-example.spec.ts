import { readFileSync } from 'node:fs';
import { type Variable, variables } from '../src/platform/config/variables.js';

interface Line {
  name: string;
  value: string;
  off: boolean;
  comment: string;
}

function exampleLines(): Line[] {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const match = /^(#?)([A-Z][A-Z0-9_]*)=(.*)$/.exec(line);
    if (!match) return [];
    return [{ off: match[1] === '#', name: match[2] ?? '', value: match[3] ?? '', comment: lines[index - 1] ?? '' }];
  });
}

describe('.env.example', () => {
  const lines = exampleLines();
  const table = Object.entries<Variable<unknown>>(variables);

  it('has every variable of the code once, and no other', () => {
    expect(lines.map(({ name }) => name).sort()).toEqual(Object.keys(variables).sort());
  });

  it('has a sentence above every variable', () => {
    expect(lines.filter(({ comment }) => !/^# .{10,}\.$/.test(comment))).toEqual([]);
  });

  it.each(table)('is right about %s', (name, variable) => {
    const line = lines.find((candidate) => candidate.name === name);
    expect(line).toMatchObject({
      value: variable.default ?? '',
      off: !variable.required && variable.default === undefined,
    });
    expect(line?.comment.includes('Required.')).toBe(variable.required === true);
  });
});
