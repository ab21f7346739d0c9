import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, byUser, personalRows } from '../../storage/declarations/personal-data.js';
import { AccountImportDifferenceEntity, AccountImportEntity, SeenUserEntity } from './account-import.entity.js';

export const accountImportDeclarations: RoomDeclarations = {
  entities: [AccountImportEntity, SeenUserEntity, AccountImportDifferenceEntity],
  personal: [
    personalRows(SeenUserEntity, [...byAccount, ...byUser], { as: 'import_seen_user', without: ['pass'] }),
    personalRows(AccountImportDifferenceEntity, [...byAccount, ...byUser], {
      as: 'import_difference',
      without: ['id'],
    }),
  ],
  kept: { account_imports: 'scans of the list of users: positions and counts' },
};
