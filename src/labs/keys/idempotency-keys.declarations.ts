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
  figures: {
    uploads_unknown: `SELECT COUNT(*) FROM idempotency_keys WHERE subject = 'lab_report' AND created_at >= :lately
      AND (state = 'unknown' OR (state = 'calling' AND lease_until <= :now))`,
  },
  personal: [
    personalRows(IdempotencyKeyEntity, [...byAccount, throughResults], {
      as: 'idempotency_key',
      without: [...leaseColumns, 'key_digest', 'fingerprint'],
    }),
  ],
};
