import { readFileSync } from 'node:fs';
import { nodeStanding, version } from './versions.js';

describe('the standing of a version of Node', () => {
  it.each(['20.19.0', '20.20.2', '22.14.0', '22.23.3', '24.11.0', '24.21.0', '26.0.0', '26.10.0'])(
    '%s is tested',
    (version) => expect(nodeStanding(version)).toBe('tested'),
  );

  it.each(['23.11.1', '25.2.0', '27.0.0', '28.0.0'])('%s is untested', (version) =>
    expect(nodeStanding(version)).toBe('untested'),
  );

  it.each(['18.20.8', '20.18.3', '21.7.3', '22.13.1', '24.10.0'])('%s is too old', (version) =>
    expect(nodeStanding(version)).toBe('too_old'),
  );
});

it('the version is the one of package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version).toBe(manifest.version);
});
