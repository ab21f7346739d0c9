import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

describe('docs/scaling.md', () => {
  it('has the table that scripts/fleet-model.mjs prints', () => {
    const table = execFileSync(process.execPath, ['scripts/fleet-model.mjs'], { encoding: 'utf8' });
    const [, document] =
      /<!-- fleet-model -->\n([^]*?)<!-- \/fleet-model -->/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? [];
    expect(document).toBe(table);
  });
});
