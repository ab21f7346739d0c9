import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { problemCodes } from './problem-codes.js';

describe('the codes of problems', () => {
  it('have the status that the documents name', () => {
    const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '' && !/^docs\/upstream\/|CHANGELOG/.test(path));
    const named = documents.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\b([45]\d\d)(?:,? with the code)?\s`([a-z_]+)`/g)]
        .filter(([, , code = '']) => Object.hasOwn(problemCodes, code))
        .map(([, status, code = '']) => ({ path, code, status: Number(status) })),
    );
    expect(named.length).toBeGreaterThan(15);
    const statusOf = new Map(Object.entries(problemCodes).map(([code, { status }]) => [code, status]));
    expect(named.filter(({ code, status }) => statusOf.get(code) !== status)).toEqual([]);
  });
});
