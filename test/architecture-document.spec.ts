import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The room of each table, by its entity. */
function roomsByTable(): Map<string, string> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.entity.ts'));
  const rooms = files.flatMap((path) => {
    const tables = readFileSync(join('src', path), 'utf8').matchAll(/@Entity\('(\w+)'\)/g);
    return Array.from(tables, ([, table = '']) => [table, relative('.', dirname(path))] as const);
  });
  return new Map(rooms);
}

describe('docs/architecture.md', () => {
  it('names every table once, with the room of its entity', () => {
    const [, part = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Tables\n');
    const rows = part.split('\n## ')[0]?.matchAll(/^\| (`\w+`.*?) \| (.*?) \|/gm) ?? [];
    const quoted = (cell: string): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
    const rooms = roomsByTable();
    const named = Array.from(rows, ([, tables = '', places = '']) => ({ tables: quoted(tables), places }));
    expect(named.flatMap(({ tables }) => tables).sort()).toEqual([...rooms.keys()].sort());
    const wrong = named.flatMap(({ tables, places }) =>
      tables.filter((table) => !quoted(places).includes(String(rooms.get(table)))),
    );
    expect(wrong).toEqual([]);
  });
});
