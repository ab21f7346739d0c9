import type { DataSource, EntityMetadata } from 'typeorm';
import { kindOf } from '../database/columns.js';
import type { RowShape } from '../database/tx.js';
import { copyMarks } from '../schema/database-copy.js';

/** A table as seen by a copy. */
export interface CopiedTable extends RowShape {
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** The column whose values the database generates as numbers; null if there is none. */
  readonly numbered: string | null;
}

/** All tables of the entities, each after the tables it refers to. */
export function copiedTables({ entityMetadatas }: Pick<DataSource, 'entityMetadatas'>): CopiedTable[] {
  const inOrder = new Set<EntityMetadata>();
  const seen = new Set<EntityMetadata>();
  const visit = (table: EntityMetadata): void => {
    if (seen.has(table)) return;
    seen.add(table);
    for (const { referencedEntityMetadata } of table.foreignKeys) visit(referencedEntityMetadata);
    inOrder.add(table);
  };
  for (const table of entityMetadatas) visit(table);
  return [...inOrder].filter(({ tableName }) => !copyMarks.includes(tableName)).map(copied);
}

function copied({ tableName, columns, primaryColumns, generatedColumns }: EntityMetadata): CopiedTable {
  return {
    table: tableName,
    columns: columns.map(({ databaseName: name, type }) => ({ name, type: kindOf(type, `${tableName}.${name}`) })),
    key: primaryColumns.map(({ databaseName }) => databaseName),
    numbered: generatedColumns[0]?.databaseName ?? null,
  };
}
