import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { erasingAccounts, relinkedAccounts } from '../../../../src/accounts/accounts/account-sql.js';
import { dailyDays } from '../../../../src/app/daily-days.js';
import { entities, views } from '../../../../src/app/rooms.js';
import { pulledResources } from '../../../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../../../src/platform/config/environment.js';
import type { Clock } from '../../../../src/platform/platform/clock.js';
import type { Manifest } from '../../../../src/storage/analytics/dataset-folder.js';
import { type DatasetExport, exportDataset } from '../../../../src/storage/analytics/export-dataset.js';
import { type Ended, runCli } from '../../../operations/cli/support/run-cli.js';
import { environmentOn, nowhere } from '../../../support/environment.js';
import { fastFolder, type TestDatabase } from '../../../support/test-store.js';

type Cell = string | number | boolean | null;

/** A folder with a dataset, and DuckDB to read it. */
export class Lake {
  readonly folder = join(fastFolder('pulsekeep-lake-'), 'lake');

  constructor(
    private readonly database: TestDatabase,
    private readonly clock: Clock,
  ) {}

  /** Runs the command on the database. */
  run(...args: string[]): Promise<Ended> {
    return runCli(
      ['dataset', 'export', '--out', this.folder, '--json', ...args],
      environmentOn(this.database, nowhere, {}),
    );
  }

  /** Exports without the command, which examines the schema first. */
  async export(given: Partial<DatasetExport> = {}): Promise<Manifest> {
    await exportDataset({
      ...{ config: this.database.config, entities, folder: this.folder, now: this.clock.now(), ...given },
      daily: dailyDays(readConfig(environmentOn(this.database, nowhere, {}), pulledResources), this.clock),
      views: given.views ?? views.filter(({ namesPeople }) => !namesPeople),
      people: { erasing: erasingAccounts, relinked: relinkedAccounts },
      signal: given.signal ?? new AbortController().signal,
    });
    return this.manifest();
  }

  manifest(): Manifest {
    return JSON.parse(readFileSync(join(this.folder, 'manifest.json'), 'utf8')) as Manifest;
  }

  /** Paths of all Parquet files. */
  files(): string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.parquet'))
      .sort();
  }

  /** Files that are not as the manifest says. */
  wrong(): string[] {
    return this.manifest()
      .files.filter(({ path, bytes, sha256 }) => {
        const content = readFileSync(join(this.folder, path));
        return content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256;
      })
      .map(({ path }) => path);
  }

  /** Rows of a SELECT, where LAKE is the folder. Times are ISO 8601 in UTC. */
  async query(sql: string): Promise<Record<string, Cell>[]> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const session = await instance.connect();
    try {
      await session.run(`SET TimeZone = 'UTC'`);
      const read = await session.runAndReadAll(sql.replaceAll('LAKE', this.folder));
      const types = read.columnTypes().map(String);
      const names = read.columnNames();
      return read
        .getRowObjectsJson()
        .map((row) =>
          Object.fromEntries(
            names.map((name, place) => [name, cellOf(types[place] ?? '', (row as Record<string, Cell>)[name] ?? null)]),
          ),
        );
    } finally {
      session.closeSync();
      instance.closeSync();
    }
  }

  remove(): void {
    rmSync(join(this.folder, '..'), { recursive: true, force: true });
  }
}

function cellOf(type: string, cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  if (type.startsWith('TIMESTAMP')) return new Date(`${cell.replace(' ', 'T').replace(/\+00$/, '')}Z`).toISOString();
  return type === 'BIGINT' ? Number(cell) : cell;
}
