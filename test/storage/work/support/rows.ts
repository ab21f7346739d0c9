import { getMetadataArgsStorage } from 'typeorm';
import { entities } from '../../../../src/app/rooms.js';
import type { SqlValue } from '../../../../src/storage/database/dialect.js';
import type { Store } from '../../../../src/storage/database/store.js';
import { writeRow } from '../../../support/tables.js';

type Row = Record<string, SqlValue>;

const metadata = getMetadataArgsStorage();
const zeros: Readonly<Record<string, SqlValue>> = { text: 'x', bytea: Buffer.from('{}') };

/** Stores a row with these values; columns that are not given are null, or zero where they must hold something. */
export async function insertRow(store: Store, table: string, given: Row): Promise<void> {
  const entity = entities.find((each) => metadata.tables.some(({ target, name }) => target === each && name === table));
  const counted = metadata.generations.filter(({ target }) => target === entity).map((made) => made.propertyName);
  const columns = metadata.columns.filter(({ target, propertyName }) => {
    const owns = target === entity || (typeof target === 'function' && entity?.prototype instanceof target);
    return owns && !counted.includes(propertyName);
  });
  const row = Object.fromEntries(
    columns.map(({ propertyName: name, options }) => {
      const empty = options.nullable ? null : (zeros[String(options.type)] ?? 0);
      return [name, given[name] ?? empty];
    }),
  );
  await writeRow(store, table, row);
}
