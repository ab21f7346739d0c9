import { readFileSync } from 'node:fs';
import { version } from './version.js';

it('the version is the one of package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version).toBe(manifest.version);
});
