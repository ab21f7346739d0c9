import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../test/support/kept-bodies.js', import.meta.url));
/** As in `npm start`; otherwise V8 would soon allocate these bodies as old objects. */
const options = ['--expose-gc', '--no-allocation-site-pretenuring'];

it('keeps nothing of finished bodies, so that minor collections free them', () => {
  const { most, came } = JSON.parse(execFileSync(process.execPath, [...options, program], { encoding: 'utf8' })) as {
    most: number;
    came: number;
  };
  expect(most).toBeLessThan(came / 16);
});
