import { Check, Entity, Index } from 'typeorm';
import type { RankedRole } from '../../platform/config/admin-roles.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';

/** key: signed in with an admin key · person: by the identity provider. */
export const sessionKinds = ['key', 'person'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** A browser that is signed in to the console. */
@Entity('console_sessions')
@Check('console_sessions_kind', oneOf('kind', sessionKinds))
@Index('console_sessions_digest', ['digest'], { unique: true })
export class SessionEntity {
  @TextKey() session_id: string;
  /** SHA-256 of the token in the cookie, in hex. */
  @TextColumn() digest: string;
  @TextColumn() kind: SessionKind;
  /** Name of the key or the person, as in the access log. */
  @TextColumn() name: string;
  @TextColumn() role: RankedRole;
  /** Digest of what the session is bound to: the key, or issuer and subject. */
  @TextColumn() bound_to: string;
  @IntColumn() created_at: number;
  @IntColumn() used_at: number;
}
