import { rmSync } from 'node:fs';

/** Jest's global teardown. */
export default function removeBuild() {
  rmSync(process.env.PULSEKEEP_TEST_BUILD, { recursive: true, force: true });
}
