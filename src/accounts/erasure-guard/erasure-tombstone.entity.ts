import { Entity, Index } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * An upstream user that is erased or being erased, or one of its orders, identified only by the digest of its id. The
 * id is random, so the digest cannot be reversed. The row stays, because upstream and operators may send old messages
 * at any time.
 */
@Entity('erasure_tombstones')
@Index('erasure_tombstones_account_ref', ['account_ref'])
@Index('erasure_tombstones_erasure_id', ['erasure_id'])
export class ErasureTombstoneEntity {
  /** SHA-256, in hex, of the id in lower case. */
  @TextKey() digest: string;
  @TextColumn() erasure_id: string;
  /** `accounts.id` of the erased account: a number that no longer identifies a person. */
  @IntColumn() account_ref: number;
  @IntColumn() erased_at: number;
  /** Number of later messages, pages and orders that were refused. */
  @IntColumn() turned_away: number;
}
