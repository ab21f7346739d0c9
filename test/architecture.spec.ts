import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve('.');

/** Wings from the ground up with their rooms in the same order: the map in CONTRIBUTING.md is the list. */
const wings = [
  ...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm),
].map(([, wing, rooms = '']) => ({
  wing: String(wing),
  rooms: [...rooms.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
}));
const order = wings.flatMap(({ wing, rooms }) => rooms.map((name) => `${wing}/${name}`));

/** Everything that these wings export is public. */
const FOUNDATION = new Set(['platform', 'upstream', 'storage', 'http']);

/** This wing knows every other: it puts the program together. The entry points beside it start the program. */
const assembly = /^src\/(app\/|main[\w-]*\.ts$)/;

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function typescript(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return typescript(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

function sources(folder: string): string[] {
  return typescript(folder).filter((path) => !path.endsWith('.spec.ts'));
}

function typescriptOf(path: string): string {
  const file = path.replace(/\.js$/, '.ts');
  return path.startsWith('console/') && existsSync(join(root, `${file}x`)) ? `${file}x` : file;
}

/** The console, whose files are .ts or .tsx. */
const consoleSources = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.spec.ts'))
  .map((path) => `console/${path}`);

function importsOf(path: string): Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/import\s*(type\s)?(?:\(|\s[^';(]*?from\s+)?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => ({
    from: path,
    to: typescriptOf(relative(root, resolve(root, path, '..', String(match[2])))),
    typeOnly: match[1] !== undefined,
  }));
}

const room = (path: string): string => path.split('/').slice(1, -1).join('/');
const all = sources('src');
const imports = all.flatMap(importsOf);
/** The one Nest module of a wing. */
const isModule = (path: string): boolean => !assembly.test(path) && /^src\/(\w+)\/\1\.module\.ts$/.test(path);
const inRooms = all.filter((path) => !assembly.test(path) && !isModule(path));
const wingOf = (path: string): string => path.split('/')[1] ?? '';
const wingNames = wings.map(({ wing }) => wing);
const between = imports.filter(
  ({ from, to }) => to.startsWith('src/') && !assembly.test(from) && !isModule(from) && room(from) !== room(to),
);
const said = ({ from, to }: Import): string => `${from} -> ${to}`;
const isFoundation = (path: string): boolean => FOUNDATION.has(path.split('/')[1] ?? '');
/** An entity may name the entity that one of its columns refers to. */
const isRelation = ({ from, to }: Import): boolean => from.endsWith('.entity.ts') && to.endsWith('.entity.ts');

describe('architecture', () => {
  it('has every room in the map of CONTRIBUTING.md, and no other', () => {
    expect(order.toSorted()).toEqual([...new Set(inRooms.map(room))].sort());
    expect(imports.length).toBeGreaterThan(100);
  });

  it('has the same rooms under test', () => {
    const folders = wingNames.flatMap((wing) => {
      const files = existsSync(join(root, 'test', wing)) ? typescript(`test/${wing}`) : [];
      return [...new Set(files.map((path) => path.split('/').slice(1, -1).slice(0, 2).join('/')))];
    });
    const known = new Set([...order, 'app/openapi']);
    expect(folders.filter((folder) => !known.has(folder))).toEqual([]);
    expect(folders.length).toBeGreaterThan(20);
  });

  it('keeps rooms flat and few files outside a wing', () => {
    expect(inRooms.filter((path) => path.split('/').length !== 4)).toEqual([]);
    expect(all.filter((path) => path.split('/').length === 2).length).toBeLessThanOrEqual(6);
  });

  it('lets a room import only rooms above it in the map', () => {
    const wrong = between.filter(
      ({ from, to }) => assembly.test(to) || order.indexOf(room(to)) >= order.indexOf(room(from)),
    );
    expect(wrong.map(said)).toEqual([]);
  });

  it('keeps repositories, readers, entities and workers inside their wing', () => {
    const wrong = between.filter(
      (imported) =>
        wingOf(imported.from) !== wingOf(imported.to) &&
        /\.(repository|reader|entity|worker)\.ts$/.test(imported.to) &&
        !isRelation(imported),
    );
    expect(wrong.filter(({ to }) => !isFoundation(to)).map(said)).toEqual([]);
  });

  it("has a wing's numbers for tuning in its first room, alone, so that every room of the wing may import them", () => {
    const tuning = all.filter((path) => path.endsWith('/tuning.ts'));
    const first = wings.map(({ wing, rooms }) => `src/${wing}/${rooms[0]}/tuning.ts`);
    expect(tuning.filter((path) => !first.includes(path))).toEqual([]);
    expect(tuning.flatMap(importsOf).map(said)).toEqual([]);
    const wrong = imports.filter(
      ({ from, to }) => tuning.includes(to) && wingOf(from) !== wingOf(to) && !assembly.test(from),
    );
    expect(wrong.map(said)).toEqual([]);
    expect(tuning.length).toBeGreaterThan(5);
  });

  it('calls the limits of a number MAX_... and MIN_...', () => {
    const other = /\bconst ((?:\w+_)?(?:MOST|LARGEST|LONGEST|LEAST|FEWEST|SMALLEST|SHORTEST|MAXIMUM|MINIMUM)_\w+) =/g;
    const wrong = all.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(other)].map(([, name]) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has one Nest module a wing, which knows its own rooms and the modules of wings below', () => {
    const modules = all.filter((path) => path.endsWith('.module.ts') && !assembly.test(path));
    expect(modules.toSorted()).toEqual(wingNames.map((wing) => `src/${wing}/${wing}.module.ts`).toSorted());
    const wrong = imports.filter(({ from, to }) => {
      const isBelow = isModule(to) && wingNames.indexOf(wingOf(to)) < wingNames.indexOf(wingOf(from));
      return isModule(from) && to.startsWith('src/') && wingOf(to) !== wingOf(from) && !isBelow;
    });
    expect(wrong.map(said)).toEqual([`src/privacy/privacy.module.ts -> src/http/auth/value-accesses.ts`]);
  });

  it('has no worker that no module provides', () => {
    const modules = all.filter(isModule).map((path) => readFileSync(join(root, path), 'utf8'));
    const workers = inRooms.filter((path) => path.endsWith('.worker.ts'));
    const forgotten = workers.filter((path) => {
      const [, name] = /export class (\w+Worker)\b/.exec(readFileSync(join(root, path), 'utf8')) ?? [];
      return name === undefined || !modules.some((text) => text.split('@Module(')[1]?.includes(name));
    });
    expect(workers.length).toBeGreaterThan(10);
    expect(forgotten).toEqual([]);
  });

  it('has SQL only in repositories and readers, and dialects only in the database layer', () => {
    const knowSql = all.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^\n]*\b(FROM|INTO|SET|VALUES|WHERE)\b/.test(text);
    });
    const known =
      /^src\/storage\/(database|schema|analytics|backup)\/|\.(repository|reader|declarations)\.ts$|order-rule\.ts$|account-sql\.ts$|personal-data-map\.ts$|erasures-to-repeat\.ts$|work\/(leased-rows|walks)\.ts$/;
    expect(knowSql.filter((path) => !known.test(path))).toEqual([]);
  });

  it('loads the SQLite driver in one place, which chooses it for this Node', () => {
    const everywhere = ['src', 'bench', 'demo', 'harness', 'chaos', 'migrations', 'sandbox', 'test'].flatMap(
      typescript,
    );
    const loads = /^import (?!type )[^;]*'better-sqlite3|^[^'\n]*(require|import)\('better-sqlite3/m;
    const leavesItToTypeOrm = /type: 'better-sqlite3',\n(?!\s*driver: (SqliteDatabase|driverOf\(file\)),)/;
    const wrong = everywhere.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return loads.test(text) || leavesItToTypeOrm.test(text);
    });
    expect(wrong).toEqual([]);
  });

  it('starts a command without the framework, which takes ten times as long to load', () => {
    const loaded = /^(?:(?:import|export) (?!type\b)[^;']*?from|import) '([^']+)';/gm;
    const via = new Map([['src/main-cli.ts', '']]);
    const heavy: string[] = [];
    for (const [path] of via) {
      for (const [, named = ''] of readFileSync(join(root, path), 'utf8').matchAll(loaded)) {
        const to = relative(root, resolve(root, path, '..', named)).replace(/\.js$/, '.ts');
        if (named.startsWith('.') && !via.has(to)) via.set(to, path);
        if (/^(@nestjs\/|typeorm$|rxjs|fastify|class-)/.test(named))
          heavy.push(`${named} by ${path} by ${via.get(path)}`);
      }
    }
    expect(via.size).toBeGreaterThan(40);
    expect(heavy).toEqual([]);
  });

  it('listens to signals before it loads anything else, because they end the process until then', () => {
    const text = (path: string): string => readFileSync(join(root, path), 'utf8');
    const loaded = /^(?:(?:import|export) (?!type\b)[^;']*?from|import) '([^']+)';/gm;
    const early = new Set(['src/main.ts']);
    const packages: string[] = [];
    for (const path of early) {
      for (const [, named = ''] of text(path).matchAll(loaded)) {
        if (named.startsWith('.')) early.add(relative(root, resolve(root, path, '..', named)).replace(/\.js$/, '.ts'));
        else packages.push(named);
      }
    }
    expect(text('src/main.ts')).toContain("await import('./app/serve.js')");
    expect([...early].sort()).toEqual([
      'src/app/refuse-old-node.ts',
      'src/app/shut-off-diagnostics.ts',
      'src/app/signals.ts',
      'src/main.ts',
      'src/platform/config/versions.ts',
    ]);
    expect(packages).toEqual([]);
  });

  it('has no cycles', () => {
    const files = [...all, ...sources('sandbox'), ...consoleSources];
    const next = new Map<string, string[]>();
    for (const { from, to } of files.flatMap(importsOf)) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path) || trail.includes(path)) return;
      for (const to of next.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    };
    for (const path of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('has no barrels, no forward references and no way around the compiler or the linter', () => {
    const words =
      /\bforwardRef\(|(eslint|oxlint)-disable|@ts-(ignore|expect-error)|\bas any(?! [a-z])\b|\b(TODO|FIXME)\b/;
    const besides = ['sandbox', 'demo', 'harness', 'chaos', 'bench'].flatMap(sources);
    const wrong = [...all, ...besides].filter(
      (path) => path.endsWith('/index.ts') || words.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps the simulated upstream independent of this program', () => {
    const wrong = sources('sandbox')
      .flatMap(importsOf)
      .filter(({ to }) => !to.startsWith('sandbox/'));
    expect(wrong.map(said)).toEqual([]);
  });

  it('sends every response through the framework, so none bypasses the access log', () => {
    const past = /\.hijack\(|\.raw\.(write|writeHead|end|pipe|setHeader)\b|\.pipe\(\w*[rR]eply/;
    expect(all.filter((path) => past.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });

  it('lets only the guards decide what a role may see, because they inform the access log', () => {
    const asking = between.filter(({ from, to }) => {
      const compares = to === 'src/http/auth/caller.ts' && /\badmits\b/.test(readFileSync(join(root, from), 'utf8'));
      return compares || to === 'src/http/auth/admin-keys.ts';
    });
    expect(asking.map(said)).toEqual([]);
  });

  it('starts threads in one place, which limits their view of the environment', () => {
    const starting = all.filter((path) => readFileSync(join(root, path), 'utf8').includes('new Worker('));
    expect(starting).toEqual(['src/platform/platform/start-thread.ts']);
  });

  it('reads the environment in one place', () => {
    const readers = all.filter((path) => readFileSync(join(root, path), 'utf8').includes('process.env'));
    expect(readers).toEqual(['src/platform/config/environment.ts']);
  });
});
