import type { RoomDeclarations } from '../declarations/declarations.js';
import { DatabaseCopyEntity, DatabaseCopyTableEntity } from './database-copy.entity.js';
import { DatabaseIdentityEntity } from './database-identity.entity.js';

export const schemaDeclarations: RoomDeclarations = {
  entities: [DatabaseIdentityEntity, DatabaseCopyEntity, DatabaseCopyTableEntity],
  kept: {
    database_identity: 'the region, environment and team of the database; nobody is named',
    database_copies: 'whether the database was copied to another one; nobody is named',
    database_copy_tables: 'progress of a copy into this database; empty whenever a service runs',
  },
  figures: { stamped_at: 'SELECT stamped_at FROM database_identity WHERE id = 1' },
};
