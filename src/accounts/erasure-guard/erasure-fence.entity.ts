import { Entity, Index } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';

/**
 * An id of an erased person that no account may have again until an operator lifts the fence or it expires. The
 * customer's ids can be guessed, so the digest is keyed: without the key, guesses cannot be checked.
 */
@Entity('erasure_fences')
@Index('erasure_fences_erasure_id', ['erasure_id'])
@Index('erasure_fences_fenced_at', ['fenced_at'])
export class ErasureFenceEntity {
  /** HMAC-SHA256, in hex. */
  @TextKey() digest: string;
  /** Which key made it: a digest of that key. */
  @TextColumn() key_id: string;
  @TextColumn() erasure_id: string;
  @IntColumn() fenced_at: number;
  /** Accounts asked for and messages that came afterwards under this id. */
  @IntColumn() turned_away: number;
}

/** The key that is used where none is configured, made at the first erasure. There is one row at most. */
@Entity('erasure_fence_keys')
export class ErasureFenceKeyEntity {
  @IntKey() id: number;
  /** 32 random bytes, in hex. */
  @TextColumn() secret: string;
}
