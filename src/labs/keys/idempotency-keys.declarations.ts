import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';

const throughResults = {
  column: 'object_id',
  through: { table: 'unmatched_results', key: 'id' },
  where: `subject = 'decision'`,
} as const;

export const idempotencyKeysDeclarations: RoomDeclarations = {
  entities: [IdempotencyKeyEntity],
  personal: [
    personalRows(IdempotencyKeyEntity, [...byAccount, throughResults], {
      as: 'idempotency_key',
      without: [...leaseColumns, 'key_digest', 'fingerprint'],
    }),
  ],
};
