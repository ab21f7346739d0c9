import { rmSync } from 'node:fs';
import { removeTemplate } from './template.mjs';

/** Jest's global teardown. */
export default async function removeBuild() {
  await removeTemplate();
  rmSync(process.env.PULSEKEEP_TEST_BUILD, { recursive: true, force: true });
}
