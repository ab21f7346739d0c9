import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, type LookupPath, personalRows } from '../../storage/declarations/personal-data.js';
import { AccountImportDifferenceEntity, AccountImportEntity, SeenUserEntity } from './account-import.entity.js';

/** Users that were met before they had an account, or whose account was not reported. */
const byUser: LookupPath = { column: 'user_id', through: { table: 'accounts', key: 'upstream_user_id' } };

export const accountImportDeclarations: RoomDeclarations = {
  entities: [AccountImportEntity, SeenUserEntity, AccountImportDifferenceEntity],
  personal: [
    personalRows(SeenUserEntity, [...byAccount, byUser], { as: 'import_seen_user', without: ['pass'] }),
    personalRows(AccountImportDifferenceEntity, [...byAccount, byUser], { as: 'import_difference', without: ['id'] }),
  ],
  kept: { account_imports: 'scans of the list of users: places and counts' },
};
