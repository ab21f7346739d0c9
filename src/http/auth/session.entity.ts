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
@Index('console_sessions_bound_to', ['bound_to', 'created_at', 'session_id'])
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
  /** Digest of the issuer and the entry of OIDC_ROLES that gave the role; null for keys. */
  @TextColumn({ nullable: true }) given_by: string | null;
  /** Identity token of the sign-in for the sign-out, encrypted with a key from the cookie (sealed-token.ts). */
  @TextColumn({ nullable: true }) identity: string | null;
  @IntColumn() created_at: number;
  @IntColumn() used_at: number;
}
