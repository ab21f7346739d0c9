import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { catalogue } from '../../../src/health/catalogue/catalogue.js';
import { hashOf } from '../../../src/ingest/audits/day-comparison.js';
import { wireObjects } from '../../../src/ingest/audits/wire-objects.js';
import { groupedBy } from '../../../src/platform/platform/grouped-by.js';
import { answers } from './support/answers.js';
import { resourceNamed, sleep } from './support/example-answers.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const imported = { ...process.env, PYTHONPATH: 'examples/checker', PYTHONDONTWRITEBYTECODE: '1' };
const withPython = hasPython ? describe : describe.skip;

/** Lines of the checker, as this program would write them. */
function linesOf(name: string, pages: readonly unknown[]): string[] {
  const objects = wireObjects(resourceNamed(name), pages).filter(({ day }) => day !== null);
  const days = groupedBy(objects, ({ provider, day }) => `${provider} ${day}`);
  return [...days].map(([day, own]) => `${day} ${own.length} ${hashOf(own)}`).sort();
}

withPython('examples/checker, a program of its own', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-checker-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  function file(name: string, content: unknown): string {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  }

  function check(name: string, pages: readonly unknown[], more: readonly string[] = []) {
    const paths = pages.map((page, index) => file(`${name}-${index}.json`, page));
    return spawnSync('python3', ['examples/checker/check.py', name, ...paths, ...more], { encoding: 'utf8' });
  }

  const compared = catalogue.filter(({ family }) => family !== 'stream');

  it('has the same hashes for every resource, in one process because its start takes longest', () => {
    const asked = compared.flatMap(({ name }) =>
      fc.sample(answers(resourceNamed(name)), 3).map((pages, seed) => ({
        lines: linesOf(name, pages),
        call: [name, ...pages.map((page, index) => file(`${name}-${seed}-${index}.json`, page))],
      })),
    );
    const script = 'import json,sys,check\nfor call in json.load(sys.stdin): check.main(call); print("end")';
    const said = execFileSync('python3', ['-c', script], {
      input: JSON.stringify(asked.map(({ call }) => call)),
      encoding: 'utf8',
      env: imported,
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    const found = said.split('end\n').map((lines) =>
      lines
        .split('\n')
        .filter((line) => line !== '')
        .sort(),
    );
    asked.forEach(({ lines, call: [name] }, at) => expect([name, found[at]]).toEqual([name, lines]));
    expect(found).toHaveLength(asked.length + 1);
  });

  it('says which proven day has another hash', () => {
    const [line = ''] = linesOf('sleep', sleep);
    const [provider, day, objects, hash] = line.split(' ');
    const proof = { resource: 'sleep', provider, day, objects: Number(objects), hash, state: 'proven' };
    const right = check('sleep', sleep, ['--proofs', file('right.json', { data: [proof] })]);
    expect([right.status, right.stderr]).toEqual([0, '']);
    const wrong = check('sleep', sleep, ['--proofs', file('wrong.json', { data: [{ ...proof, hash: 'f00' }] })]);
    expect([wrong.status, wrong.stderr]).toEqual([1, `different ${provider} ${day}\n`]);
  });

  it('writes numbers as ECMAScript does', () => {
    const numbers = [
      ...fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 2_000),
      1e21,
      1e-7,
      123456789012345680000,
    ];
    const script = 'import json,sys; from check import canonical; print(canonical(json.load(sys.stdin)))';
    const input = JSON.stringify(numbers);
    expect(execFileSync('python3', ['-c', script], { input, encoding: 'utf8', env: imported }).trim()).toBe(input);
  });
});
