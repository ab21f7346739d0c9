import { Entity, Index } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * An id of an erased person that no account may have until an operator lifts the fence. The customer's ids can be
 * guessed, so the digest is keyed: without the key, guesses cannot be checked.
 */
@Entity('erasure_fences')
@Index('erasure_fences_erasure_id', ['erasure_id'])
@Index('erasure_fences_fenced_at', ['fenced_at'])
export class ErasureFenceEntity {
  /** HMAC-SHA256, in hex. */
  @TextKey() digest: string;
  /** Identifies the key of the digest. */
  @TextColumn() key_id: string;
  @TextColumn() erasure_id: string;
  @IntColumn() fenced_at: number;
  /** Number of later requests and messages with this id that were refused. */
  @IntColumn() turned_away: number;
}

/** The key used if none is configured, created when first needed. At most one row. */
@Entity('erasure_fence_keys')
export class ErasureFenceKeyEntity {
  @IntKey() id: number;
  /** 32 random bytes, in hex. */
  @TextColumn() secret: string;
}
