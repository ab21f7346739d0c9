import type { QueryRunner } from 'typeorm';
import type { Contents } from './contents.js';
import { runTool } from './postgres-tools.js';

/**
 * What the database holds, as the open transaction sees it: the stamp too, which `schema` could only read outside of
 * it.
 */
export async function contentsOf(runner: QueryRunner): Promise<Contents> {
  const rows = <T>(sql: string): Promise<T[]> => runner.query(sql);
  const [stamp = null] = await rows<{ region: string; environment: string }>(
    'SELECT region, environment FROM database_identity WHERE id = 1',
  );
  const ran = await rows<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  const counts: Record<string, number> = {};
  for (const name of await tablesOf(runner)) {
    const [row] = await rows<{ count: number }>(`SELECT COUNT(*) AS count FROM "${name}"`);
    counts[name] = row?.count ?? 0;
  }
  return { stamp, migrations: ran.map(({ name }) => name), counts };
}

export async function tablesOf(runner: QueryRunner): Promise<string[]> {
  const sql = `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename`;
  return ((await runner.query(sql)) as { name: string }[]).map(({ name }) => name);
}

/** Rows by table in a dump, which is read from its beginning to its end for that. Throws `BackupError`. */
export async function countsInDump(path: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let table: string | null = null;
  const take = (line: string): void => {
    if (table === null) {
      table = /^COPY (?:[^ ]+\.)?"?(\w+)"? .*FROM stdin;$/.exec(line)?.[1] ?? null;
      if (table !== null) counts[table] = 0;
    } else if (line === '\\.') table = null;
    else counts[table] = (counts[table] ?? 0) + 1;
  };
  await runTool('pg_restore', ['--data-only', '--file=-', path], { read: (output) => eachLine(output, take) });
  return counts;
}

/** Of a long line only the beginning is kept: rows are counted, not read. */
async function eachLine(output: NodeJS.ReadableStream, take: (line: string) => void): Promise<void> {
  let line = '';
  for await (const chunk of output) {
    const parts = (chunk as Buffer).toString('latin1').split('\n');
    for (const [index, part] of parts.entries()) {
      if (line.length < LONGEST_HEAD) line += part;
      if (index === parts.length - 1) continue;
      take(line);
      line = '';
    }
  }
}

/** Longer than any statement that begins the rows of a table. */
const LONGEST_HEAD = 10_000;
