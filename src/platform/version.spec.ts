import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { version } from './version.js';

it('the version is the one of package.json', () => {
  const manifest = JSON.parse(readFileSync(resolve(__dirname, '../../package.json'), 'utf8')) as { version: string };
  expect(version).toBe(manifest.version);
});
