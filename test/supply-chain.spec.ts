import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { nodeOptions } from '../harness/processes.js';
import { nodeStanding } from '../src/platform/config/versions.js';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly engines: { readonly node: string };
  readonly overrides: Record<string, string | Record<string, string>>;
  readonly scripts: Record<string, string>;
  readonly scarfSettings: { readonly enabled: boolean };
}

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
}

interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly 'bom-ref': string; readonly hashes?: readonly unknown[] }[];
  readonly dependencies: readonly { readonly ref: string }[];
}

const read = (path: string): string => readFileSync(path, 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
/** Without the packages of this repository. */
const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Packages that want to run something when they are installed, and what. Another one fails: find out what it runs. */
const installScripts: Readonly<Record<string, string>> = {
  'better-sqlite3-node-20':
    'fetches the native driver built, or builds it; scripts/sqlite-driver.mjs runs it on Node 20',
  'better-sqlite3-multiple-ciphers-node-20': 'the same for encrypted files, with --encrypted',
  '@scarf/scarf': 'would report the installation to its maker; comes with swagger-ui-dist',
  '@swc/core': 'looks for the native compiler of the tests, and fetches another form where none fits',
  '@parcel/watcher': "builds Jest's file watcher where it is asked to",
  esbuild: 'looks for its own program, which comes as a package of the platform, and fetches it where it is missing',
  'unrs-resolver': 'looks for the native resolver of Jest, and fetches it where it is missing',
};

describe('every package', () => {
  it('is pinned exactly, in one version', () => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = manifest;
    const installed = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }).map(
      ([name, asked]) => [name, asked.replace(/^npm:[^@]+@/, '')] as const,
    );
    const { typeorm, ...everywhere } = overrides;
    const asked = [...installed.map(([, version]) => version), ...Object.values(everywhere)];
    // DuckDB counts the releases of its Node package after its own version.
    const isExact = (version: unknown): boolean =>
      typeof version === 'string' && /^\d+\.\d+\.\d+(-r\.\d+)?$/.test(version);
    expect(asked.filter((version) => !isExact(version))).toEqual([]);
    const wrong = installed.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version);
    expect(wrong).toEqual([]);
    expect(typeorm).toEqual({ 'better-sqlite3': '$better-sqlite3' });
  });

  it('is identified by a hash of its contents, from any registry', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('runs nothing at installation, and declares only known install scripts', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect([...new Set(running)].sort()).toEqual(Object.keys(installScripts).sort());
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    expect(manifest.scarfSettings.enabled).toBe(false);
    expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it('can be installed by the lock file from any registry, for every platform', () => {
    expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
    for (const native of ['@swc/core', '@biomejs/cli', '@unrs/resolver-binding', '@esbuild/']) {
      for (const platform of ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']) {
        const found = locked.filter(([path]) =>
          path.startsWith(`node_modules/${native.replace(/[^/]$/, '$&-')}${platform}`),
        );
        expect([native, platform, found.length > 0]).toEqual([native, platform, true]);
      }
    }
  });

  it('is in docs/architecture.md with its reason, if it is needed to run', () => {
    const [, table = ''] = read('docs/architecture.md').split('## Dependencies');
    const named = new Set(Array.from(table.matchAll(/`([^`]+)`/g), ([, name]) => String(name)));
    const missing = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
      (name) => !named.has(name) && !named.has(name.replace(/^@nestjs\//, '')),
    );
    expect(missing).toEqual([]);
  });
});

describe('Node', () => {
  const asked = manifest.engines.node
    .split(' || ')
    .map((range) => /^\^(\d+)\.(\d+)\.0$/.exec(range)?.slice(1).map(Number));
  const firsts = asked.map(([major, minor] = []) => ({ major, minor: Number(minor) }));

  it('is required in the versions that the program accepts', () => {
    const standings = firsts.map(({ major, minor }) => [
      nodeStanding(`${major}.${minor}.0`),
      minor > 0 && nodeStanding(`${major}.${minor - 1}.0`),
    ]);
    expect(standings).toEqual(firsts.map(({ minor }) => ['tested', minor > 0 && 'too_old']));
  });

  it('is tested by test:node on every required line', () => {
    const tried = [...read('scripts/node-lines.mjs').matchAll(/^  (\d+): \{ node: '\1\./gm)].map(([, line]) =>
      Number(line),
    );
    expect(tried).toEqual(firsts.map(({ major }) => major));
  });

  it('is of one line in .nvmrc, the image and the README', () => {
    const line = read('.nvmrc').trim();
    expect(firsts.map(({ major }) => String(major))).toContain(line);
    expect(read('README.md')).toContain(`Node ${line} `);
  });
});

/** Where `name` is found from a folder, as Node looks for it. */
function installedAt(from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (folder === resolve('.')) return null;
  }
}

/** Every package in node_modules that something in it needs to run, by what their own package.json files say. */
function neededInTree(): string[] {
  const places = new Set<string>();
  const waiting = [resolve('.')];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const file = JSON.parse(read(join(folder, 'package.json'))) as PackageFile;
    const peers = Object.keys(file.peerDependencies ?? {}).filter(
      (name) => !file.peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys(file.dependencies ?? {}), ...peers]) {
      if (file.optionalDependencies?.[name] !== undefined) continue;
      const place = installedAt(folder, name);
      if (place === null) throw new Error(`${file.name} needs ${name}, which is not installed`);
      if (!places.has(place)) waiting.push(place);
      places.add(place);
    }
  }
  const names = [...places].map((place) => {
    const { name, version } = JSON.parse(read(join(place, 'package.json'))) as PackageFile;
    return `${name}@${version}`;
  });
  return [...new Set(names)].sort();
}

describe('the bill of materials', () => {
  it('has exactly the installed packages that are needed to run, each with its hash', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { metadata, components, dependencies } = JSON.parse(stdout) as BillOfMaterials;
    const named = components.map((component) => component['bom-ref']).sort();
    expect(named).toEqual(neededInTree());
    expect(named).toEqual(expect.arrayContaining([expect.stringMatching(/^@nestjs\/core@/)]));
    expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
    expect(metadata.component).toMatchObject({ name: 'pulsekeep' });
    expect(dependencies.map(({ ref }) => ref).sort()).toEqual(['pulsekeep@0.9.0', ...named].sort());
  });

  it('is in the image, made from its contents', () => {
    expect(manifest.scripts.sbom).toBe('node scripts/sbom.mjs');
    expect(read('Dockerfile')).toMatch(/npm run --silent sbom > dist\/sbom\.json/);
    expect(read('Dockerfile')).toMatch(/npm ci --omit=dev --omit=optional /);
  });
});

describe('the container image', () => {
  const [, ...stages] = read('Dockerfile').split(/^FROM /m);
  const run = stages.at(-1) ?? '';

  it('runs as a plain user, has a health check, and contains only the build', () => {
    expect(run.lastIndexOf('USER 1000:0')).toBeGreaterThan(run.lastIndexOf('RUN '));
    expect(run).toMatch(/^RUN mkdir \/data && chown 1000:0 \/data && chmod 2770 \/data$/m);
    expect(run).toMatch(/^HEALTHCHECK .*CMD/m);
    expect(run.match(/^COPY (?!--from=(build|packages) )/gm)).toBeNull();
    expect(run).not.toMatch(/apt-get|npm (ci|install)/);
  });

  it('gives Node the options of `npm start` and of the benchmarks', () => {
    const command = ['node', ...nodeOptions, 'dist/src/main.js'];
    expect(read('Dockerfile')).toContain(`\nCMD ${JSON.stringify(command).replaceAll(',', ', ')}\n`);
    expect(manifest.scripts['start']).toBe(command.join(' '));
  });

  it('uses one build of Node by its digest, and contains no secret', () => {
    const line = read('.nvmrc').trim();
    expect(read('Dockerfile')).toMatch(
      new RegExp(`^ARG NODE_IMAGE=node:${line}-bookworm-slim@sha256:[0-9a-f]{64}$`, 'm'),
    );
    const bases = stages.map((stage) => stage.split('\n')[0]);
    expect(bases.at(-1)).toBe('${NODE_IMAGE}');
    expect(bases.filter((base) => !base?.startsWith('${NODE_IMAGE}'))).toEqual(['build AS sandbox']);
    expect(read('Dockerfile')).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD|^ADD |^COPY \. /m);
    expect(read('.dockerignore').split('\n')[0]).toBe('*');
    expect(read('.dockerignore')).not.toMatch(/^!.*(\.env|data|\.git$)/m);
  });

  it('contains the service and its migrations: no sandbox, demo, benchmark, chaos or test', () => {
    const copied = [...(stages[0] ?? '').matchAll(/^COPY (\S+) \1$/gm)].map(([, folder]) => String(folder));
    expect(copied.sort()).toEqual([
      'clients/typescript/src',
      'console',
      'docs/runbook.md',
      'migrations',
      'scripts',
      'src',
    ]);
    const config = ts.readConfigFile('tsconfig.build.json', (path) => read(path)).config as object;
    const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
    const built = fileNames.filter((path) => copied.includes(String(relative('.', path).split('/')[0])));
    const known = new Set(built);
    const outside = built.flatMap((path) =>
      ts
        .preProcessFile(read(path))
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => resolve(dirname(path), fileName.replace(/\.js$/, '.ts')))
        .filter((target) => !known.has(target)),
    );
    expect(built.length).toBeGreaterThan(300);
    expect(outside).toEqual([]);
    expect(built.filter((path) => /\.spec\.ts$|\/(test|harness)\//.test(relative('.', path)))).toEqual([]);
  });
});
