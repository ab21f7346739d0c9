import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve('.');

/** Level of each room, as docs/architecture.md states it. */
const levels = new Map(
  [...readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(/^\| (\d+) \| `([\w-]+)` \|/gm)].map(
    ([, level, name]) => [String(name), Number(level)] as const,
  ),
);

/** Rooms up to this level are the foundation: what they export is public. */
const FOUNDATION_LEVEL = 4;
const MAX_FILES = 30;
const MAX_PUBLIC_FILES = 3;

/** These know everything: they put the parts together. */
const assembly = /^src\/[^/]+\.ts$/;

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

function importsOf(path: string): Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/import\s+(type\s)?(?:[^';]*?from\s+)?'(\.{1,2}\/[^']+)'/g)].map((match) => ({
    from: path,
    to: relative(root, resolve(root, path, '..', String(match[2]))).replace(/\.js$/, '.ts'),
    typeOnly: match[1] !== undefined,
  }));
}

const room = (path: string): string => path.split('/')[1] ?? '';
const all = sources('src');
const imports = all.flatMap(importsOf);
const inRooms = all.filter((path) => !assembly.test(path));
const between = imports.filter(
  ({ from, to }) => to.startsWith('src/') && !assembly.test(from) && room(from) !== room(to),
);
const said = ({ from, to }: Import): string => `${from} -> ${to}`;
const isFoundation = (path: string): boolean => (levels.get(room(path)) ?? 0) <= FOUNDATION_LEVEL;
/** An entity may name the entity that a column of it refers to. */
const isRelation = ({ from, to }: Import): boolean => from.endsWith('.entity.ts') && to.endsWith('.entity.ts');

describe('architecture', () => {
  it('has a row in docs/architecture.md for each room, and no other', () => {
    expect([...levels.keys()].sort()).toEqual([...new Set(inRooms.map(room))].sort());
    expect(imports.length).toBeGreaterThan(100);
  });

  it('keeps rooms flat and small', () => {
    expect(inRooms.filter((path) => path.split('/').length !== 3)).toEqual([]);
    const sizes = new Map<string, number>();
    for (const path of inRooms) sizes.set(room(path), (sizes.get(room(path)) ?? 0) + 1);
    expect([...sizes].filter(([, files]) => files > MAX_FILES)).toEqual([]);
  });

  it('lets imports point down only, so that no two rooms import each other', () => {
    const wrong = between.filter(({ from, to }) => {
      if (assembly.test(to)) return true;
      const [own, other] = [levels.get(room(from)), levels.get(room(to))];
      return own === undefined || other === undefined || (own === 0 ? other > 0 : other >= own);
    });
    expect(wrong.map(said)).toEqual([]);
  });

  it('keeps repositories, readers, entities and workers inside their room', () => {
    const wrong = between.filter(
      (imported) => /\.(repository|reader|entity|worker)\.ts$/.test(imported.to) && !isRelation(imported),
    );
    expect(wrong.filter(({ to }) => !isFoundation(to)).map(said)).toEqual([]);
  });

  it('gives each room above the foundation at most three public files', () => {
    const doors = new Map<string, Set<string>>();
    for (const imported of between) {
      if (isFoundation(imported.to) || isRelation(imported)) continue;
      doors.set(room(imported.to), (doors.get(room(imported.to)) ?? new Set()).add(imported.to));
    }
    const wide = [...doors.values()].filter((files) => files.size > MAX_PUBLIC_FILES);
    expect(wide.map((files) => [...files].sort())).toEqual([]);
  });

  it('has no worker that no module provides', () => {
    const modules = inRooms
      .filter((path) => path.endsWith('.module.ts'))
      .map((path) => readFileSync(join(root, path), 'utf8'));
    const workers = inRooms.filter((path) => path.endsWith('.worker.ts'));
    const forgotten = workers.filter((path) => {
      const [, name] = /export class (\w+Worker)\b/.exec(readFileSync(join(root, path), 'utf8')) ?? [];
      return name === undefined || !modules.some((text) => text.split('providers:')[1]?.includes(name));
    });
    expect(workers.length).toBeGreaterThan(10);
    expect(forgotten).toEqual([]);
  });

  it('has every room in the map of CONTRIBUTING.md, and no other', () => {
    const [, map = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## Map of the code');
    const [table = ''] = map.split('Beside `src`');
    const cells = table.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []));
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map((match) => String(match[1])));
    expect(named.sort()).toEqual([...levels.keys()].sort());
  });

  it('lets only repositories and readers know SQL, only the database layer know the dialect', () => {
    const knowSql = all.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^\n]*\b(FROM|INTO|SET|VALUES|WHERE)\b/.test(text);
    });
    const known =
      /^src\/(database|schema|backup)\/|\.(repository|reader|declarations)\.ts$|order-rule\.ts$|account-sql\.ts$|personal-data-map\.ts$|erasures-to-repeat\.ts$|work\/(leased-rows|idempotency-keys)\.ts$/;
    expect(knowSql.filter((path) => !known.test(path))).toEqual([]);
  });

  it('loads the SQLite driver in one place, which knows what this Node can run', () => {
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

  it('starts a command without the framework, whose modules take ten times as long to load as the command', () => {
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

  it('has no cycles', () => {
    const files = [...all, ...sources('sandbox')];
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
    const words = /\bforwardRef\(|eslint-disable|@ts-(ignore|expect-error)|\bas any(?! [a-z])\b|\b(TODO|FIXME)\b/;
    const besides = ['sandbox', 'demo', 'harness', 'chaos', 'bench'].flatMap(sources);
    const wrong = [...all, ...besides].filter(
      (path) => path.endsWith('/index.ts') || words.test(readFileSync(join(root, path), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps the simulated upstream free of this program', () => {
    const wrong = sources('sandbox')
      .flatMap(importsOf)
      .filter(({ to }) => !to.startsWith('sandbox/'));
    expect(wrong.map(said)).toEqual([]);
  });

  it('answers through the framework, past the access log there is no way', () => {
    const past = /\.hijack\(|\.raw\.(write|writeHead|end|pipe|setHeader)\b|\.pipe\(\w*[rR]eply/;
    expect(all.filter((path) => past.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });

  it('leaves it to the guards what a role may see, who tell the access log', () => {
    const asking = between.filter(({ from, to }) => {
      const compares = to === 'src/http/auth/caller.ts' && /\badmits\b/.test(readFileSync(join(root, from), 'utf8'));
      return compares || to === 'src/http/auth/admin-keys.ts';
    });
    expect(asking.map(said)).toEqual([]);
  });

  it('starts threads in one place, which knows what they may see of the environment', () => {
    const starting = all.filter((path) => readFileSync(join(root, path), 'utf8').includes('new Worker('));
    expect(starting).toEqual(['src/platform/platform/start-thread.ts']);
  });

  it('reads the environment in one place', () => {
    const readers = all.filter((path) => readFileSync(join(root, path), 'utf8').includes('process.env'));
    expect(readers).toEqual(['src/platform/config/environment.ts']);
  });
});
