import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../test/support/kept-bodies.js', import.meta.url));
/** As `npm start` has it: V8 would begin to make these bodies among old objects at once. */
const options = ['--expose-gc', '--no-allocation-site-pretenuring'];

it('keeps nothing of finished bodies, so that minor collections free them', () => {
  const { most, came } = JSON.parse(execFileSync(process.execPath, [...options, program], { encoding: 'utf8' })) as {
    most: number;
    came: number;
  };
  expect(most).toBeLessThan(came / 16);
});
