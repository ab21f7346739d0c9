import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve('.');

/** Imports point down only; features of one level do not know each other. */
const levels: Record<string, number> = {
  platform: 0,
  config: 0,
  http: 1,
  database: 1,
  catalogue: 1,
  declarations: 2,
  schema: 3,
  'upstream-transport': 2,
  auth: 2,
  upstream: 3,
  work: 3,
  backup: 4,
  labs: 4,
  'erasure-guard': 4,
  accounts: 4.2,
  connections: 4.4,
  'account-import': 4.4,
  'health-data': 5,
  'link-attempts': 4.6,
  tokens: 5,
  'access-log': 5,
  'request-audit': 5.5,
  orders: 5,
  'placement-keys': 5,
  'result-fetches': 5,
  'order-intake': 5.1,
  'order-api': 5.2,
  'lab-results': 5.3,
  'order-placement': 5.3,
  coverage: 5.5,
  pulls: 6,
  'source-polls': 6.1,
  'workout-series': 6.1,
  'pull-admin': 6.1,
  'day-evidence': 6.2,
  recoveries: 6.2,
  events: 6.5,
  inbox: 7,
  records: 7.5,
  'personal-data': 8,
  erasure: 8.5,
  timeline: 8,
  'account-admin': 8,
  admin: 8,
  me: 8,
  ops: 8,
  cli: 9,
};

/** Rooms that still stand on one floor with the one named here. */
const floor: Record<string, string> = {
  explain: 'admin',
  'cli-session': 'cli',
};

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
const feature = (path: string): string => floor[room(path)] ?? room(path);
const all = sources('src');
const imports = all.flatMap(importsOf);
const between = imports.filter(({ from, to }) => !assembly.test(from) && feature(from) !== feature(to));
const said = ({ from, to }: Import): string => `${from} -> ${to}`;

describe('architecture', () => {
  it('gives every folder of src a level', () => {
    const folders = new Set(all.filter((path) => !assembly.test(path)).map(feature));
    expect([...folders].filter((folder) => !(folder in levels))).toEqual([]);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('lets imports point down only', () => {
    const wrong = between.filter(({ from, to }) => {
      const [own, other] = [levels[feature(from)], levels[feature(to)]];
      if (assembly.test(to)) return !to.endsWith('.module.ts');
      return own === undefined || other === undefined || (own === 0 ? other > 0 : other >= own);
    });
    expect(wrong.filter(({ to }) => !to.startsWith('migrations/')).map(said)).toEqual([]);
  });

  it('keeps repositories, entities and workers inside their feature', () => {
    const wrong = between.filter(({ from, to, typeOnly }) => {
      const referred = to.endsWith('.entity.ts') && (typeOnly || from.endsWith('.entity.ts'));
      return /\.(repository|entity|worker)\.ts$/.test(to) && !referred;
    });
    expect(wrong.map(said)).toEqual([]);
  });

  it('lets only repositories and readers know SQL, only the database layer know the dialect', () => {
    const knowSql = all.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^\n]*\b(FROM|INTO|SET|VALUES|WHERE)\b/.test(text);
    });
    const known =
      /^src\/(database|schema|backup)\/|\.(repository|reader|declarations)\.ts$|order-rule\.ts$|account-sql\.ts$|personal-data-map\.ts$|erasures-to-repeat\.ts$|work\/leased-rows\.ts$/;
    expect(knowSql.filter((path) => !known.test(path))).toEqual([]);
  });

  it('loads the SQLite driver in one place, which knows what this Node can run', () => {
    const everywhere = ['src', 'bench', 'demo', 'migrations', 'sandbox', 'test'].flatMap(typescript);
    const loads = /^import (?!type )[^;]*'better-sqlite3|^[^'\n]*(require|import)\('better-sqlite3/m;
    const leavesItToTypeOrm = /type: 'better-sqlite3',\n(?!\s*driver: SqliteDatabase,)/;
    const wrong = everywhere.filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return loads.test(text) || leavesItToTypeOrm.test(text);
    });
    expect(wrong).toEqual([]);
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
    const wrong = [...all, ...sources('sandbox'), ...sources('demo'), ...sources('bench')].filter(
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
      const compares = to === 'src/auth/caller.ts' && /\bcovers\b/.test(readFileSync(join(root, from), 'utf8'));
      return compares || to === 'src/auth/admin-keys.ts';
    });
    expect(asking.map(said)).toEqual([]);
  });

  it('reads the environment in one place', () => {
    const readers = all.filter((path) => readFileSync(join(root, path), 'utf8').includes('process.env'));
    expect(readers).toEqual(['src/config/environment.ts']);
  });
});
