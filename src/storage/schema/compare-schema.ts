import type { DataSource, EntityMetadata, Table, TableColumn } from 'typeorm';

/** Differences between the tables of a database and the declared ones. */
export interface SchemaComparison {
  /** Missing or changed parts, such as `index pull_streams_due`, and columns that prevent inserts. */
  readonly differences: readonly string[];
  /** Additions to our tables, such as `column accounts.note`, which the program leaves alone. */
  readonly foreign: readonly string[];
}

/** The part of TypeORM's schema builder that is replaced, because it would drop foreign columns. */
interface BuilderParts {
  readonly tables: readonly Table[];
  readonly entityToSyncMetadatas: readonly EntityMetadata[];
  dropRemovedColumns(): Promise<void>;
}

/** Subject of a statement. SQLite changes a table by copying its rows to a `temporary_` one. */
const subject = /^(?:CREATE|DROP|ALTER)(?: UNIQUE)? (INDEX|TABLE|SEQUENCE|TYPE)(?: IF (?:NOT )?EXISTS)? ([^\s(;]+)/;
const droppedConstraint = /^ALTER TABLE (\S+) DROP CONSTRAINT (\S+)/;

/** Compares by means of the statements that TypeORM would run; none of them is run. */
export async function compareSchema(source: DataSource): Promise<SchemaComparison> {
  if (source.options.type === 'postgres') expectByteOrder(source);
  const builder = source.driver.createSchemaBuilder();
  const parts = builder as unknown as BuilderParts;
  const columns: ForeignColumn[] = [];
  parts.dropRemovedColumns = async () => void columns.push(...foreignColumns(parts));
  const queries = (await builder.log()).upQueries.map(({ query }) => query);
  const statements = queries.filter((query) => !query.startsWith('INSERT '));
  const known = ownNames(source);
  const found = statements.map((statement) => nameOf(statement, known));
  const obstacles = columns.filter(preventsInserts).map(({ name }) => `${name} (NOT NULL without a default)`);
  return {
    differences: unique([...found.filter(({ isForeign }) => !isForeign).map(({ name }) => name), ...obstacles]),
    foreign: unique([
      ...found.filter(({ isForeign }) => isForeign).map(({ name }) => name),
      ...columns.filter((column) => !preventsInserts(column)).map(({ name }) => name),
    ]),
  };
}

/** On PostgreSQL texts are sorted by their bytes, as SQLite always does; the entities are the same for both. */
function expectByteOrder({ entityMetadatas }: DataSource): void {
  for (const column of entityMetadatas.flatMap(({ columns }) => columns)) {
    if (column.type === 'text') column.collation = 'C';
  }
}

interface ForeignColumn {
  readonly name: string;
  readonly column: TableColumn;
}

function foreignColumns({ tables, entityToSyncMetadatas }: BuilderParts): ForeignColumn[] {
  return entityToSyncMetadatas.flatMap((metadata) => {
    const table = tables.find(({ name }) => plain(name) === metadata.tableName);
    const ours = new Set(metadata.columns.map(({ databaseName }) => databaseName));
    const others = (table?.columns ?? []).filter(({ name }) => !ours.has(name));
    return others.map((column) => ({ name: `column ${metadata.tableName}.${column.name}`, column }));
  });
}

function preventsInserts({ column }: ForeignColumn): boolean {
  const isFilled = column.default !== undefined || column.isGenerated || column.generatedType !== undefined;
  return !column.isNullable && !isFilled;
}

function nameOf(statement: string, known: ReadonlySet<string>): { name: string; isForeign: boolean } {
  const constraint = droppedConstraint.exec(statement);
  if (constraint) {
    const name = plain(constraint[2]);
    return { name: `constraint ${plain(constraint[1])}.${name}`, isForeign: !known.has(name) };
  }
  const [, kind = 'statement', quoted] = subject.exec(statement) ?? [];
  const name = plain(quoted).replace(/^temporary_/, '');
  return {
    name: `${kind.toLowerCase()} ${name}`,
    isForeign: kind === 'INDEX' && statement.startsWith('DROP') && !known.has(name),
  };
}

/** Names of the indexes and constraints that the entities declare. */
function ownNames(source: DataSource): Set<string> {
  const named = source.entityMetadatas.flatMap(({ indices, uniques, checks, foreignKeys, exclusions }) => [
    ...indices,
    ...uniques,
    ...checks,
    ...foreignKeys,
    ...exclusions,
  ]);
  return new Set(named.map(({ name }) => name).filter((name) => name !== undefined));
}

/** The name without schema and quotes. */
function plain(quoted = ''): string {
  return quoted.split('.').at(-1)?.replaceAll('"', '') ?? '';
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
