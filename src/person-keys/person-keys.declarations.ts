import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount } from '../declarations/personal-data.js';

export const personKeysDeclarations: RoomDeclarations = {
  personal: [{ table: 'person_keys', key: ['account_id'], paths: byAccount, exported: 'not at all: a number of ours' }],
  kept: { person_key_file: 'names the key file; nobody' },
};
