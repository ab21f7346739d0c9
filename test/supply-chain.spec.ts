import { readFileSync } from 'node:fs';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly overrides: Record<string, string>;
  readonly scripts: Record<string, string>;
  readonly scarfSettings: { readonly enabled: boolean };
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Packages that may run something when they are installed, and what. Another one fails: find out what it runs. */
const installScripts: Readonly<Record<string, string>> = {
  'better-sqlite3': 'builds the native driver, or fetches it built; the only one that does anything in production',
  '@scarf/scarf': 'would report the installation to its maker; comes with swagger-ui-dist, off by scarfSettings',
  '@swc/core': 'looks for the native compiler of the tests, and fetches another form where none fits; development only',
  '@parcel/watcher': 'builds the file watcher of the Nest command line where it is asked to; development only',
  'unrs-resolver': 'looks for the native resolver of Jest, and fetches it where it is missing; development only',
};

describe('what others made', () => {
  it('is pinned exactly, once for all', () => {
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides });
    expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    const wrong = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version,
    );
    expect(wrong).toEqual([]);
  });

  it('is known by its contents, from whatever registry it comes', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('runs nothing when it is installed but what is known here', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect([...new Set(running)].sort()).toEqual(Object.keys(installScripts).sort());
    expect(manifest.scarfSettings.enabled).toBe(false);
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it('is in docs/architecture.md with its reason, as far as it is needed to run', () => {
    const [, table = ''] = read('docs/architecture.md').split('## Dependencies');
    const named = new Set(Array.from(table.matchAll(/`([^`]+)`/g), ([, name]) => String(name)));
    const missing = Object.keys(manifest.dependencies).filter(
      (name) => !named.has(name) && !named.has(name.replace(/^@nestjs\//, '')),
    );
    expect(missing).toEqual([]);
  });
});

describe('the container image', () => {
  const [, ...stages] = read('Dockerfile').split(/^FROM /m);
  const run = stages.at(-1) ?? '';

  it('runs as a plain user, has a health check, and is given no more than what was built', () => {
    expect(/^USER node$/m.test(run)).toBe(true);
    expect(run.lastIndexOf('USER node')).toBeGreaterThan(run.lastIndexOf('RUN '));
    expect(run).toMatch(/^HEALTHCHECK .*CMD/m);
    expect(run.match(/^COPY (?!--from=build --chown=|--from=build )/gm)).toBeNull();
    expect(run).not.toMatch(/apt-get|npm (ci|install)/);
  });

  it('is of named versions and holds no secret', () => {
    expect(stages.map((stage) => stage.split('\n')[0])).toEqual([
      expect.stringMatching(/^\S+:\d+-\S+ AS build$/),
      expect.stringMatching(/^\S+:\d+-\S+$/),
    ]);
    expect(read('Dockerfile')).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD|^ADD |^COPY \. /m);
    expect(read('.dockerignore').split('\n')[0]).toBe('*');
    expect(read('.dockerignore')).not.toMatch(/^!.*(\.env|data|\.git)/m);
  });
});
