import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PersonRole } from '../../platform/config/admin-key.js';
import { type AdminRole, type RankedRole, rankedRoles } from '../../platform/config/admin-roles.js';
import { AdminConfig, PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { Rate } from '../server/rate.js';
import { SESSION_USED_EVERY_MS } from '../server/tuning.js';
import { grantDigestOf } from './person-claims.js';
import { opened, sealed } from './sealed-token.js';
import type { SessionEntity, SessionKind } from './session.entity.js';
import { type SessionOwner, SessionsRepository, type Unexpired } from './sessions.repository.js';

/** A session ends after this time without a request, and at the latest MAX_SESSION_MS after its sign-in. */
const IDLE_MS = 2 * HOUR_MS;
export const MAX_SESSION_MS = 12 * HOUR_MS;
/** Sessions of one key or person; a new one ends the oldest. */
const MAX_SESSIONS = 20;
/** New sessions of one key or person per minute. */
const OPENED_PER_MINUTE = 60;
/** The identity token becomes part of an address, and providers accept about 8 KB of headers. */
const MAX_IDENTITY_CHARACTERS = 6_000;

export type Session = Pick<SessionEntity, 'session_id' | 'kind' | 'name' | 'role' | 'created_at' | 'used_at'>;

/** The signed-in key or person. */
export interface SignedIn {
  readonly kind: SessionKind;
  readonly name: string;
  readonly role: AdminRole;
  /** Digest of the key, or of issuer and subject. */
  readonly boundTo: string;
  /** Only for people: what gave the role, and the identity token, which the sign-out at the provider needs. */
  readonly grant?: PersonRole;
  readonly idToken?: string | undefined;
}

export interface Opened {
  readonly session: Session;
  /** For the cookie; only its digest is stored. */
  readonly token: string;
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** When a session ends if it is not used again, in epoch milliseconds. */
export function endOf({ created_at, used_at }: Session): number {
  return Math.min(created_at + MAX_SESSION_MS, used_at + IDLE_MS);
}

/** Console sessions: opened by a sign-in, found by their cookie, ended by time, sign-out or an operator. */
@Injectable()
export class Sessions {
  private readonly openings;

  constructor(
    private readonly repository: SessionsRepository,
    private readonly lane: WriteLane,
    private readonly config: AdminConfig,
    private readonly people: PeopleConfig,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.openings = new Rate(clock, OPENED_PER_MINUTE);
  }

  /** Like `open`, for the owner of the key with this name. */
  openWithKey(name: string): Promise<Opened> {
    const key = this.config.keys.current.find((one) => one.name === name);
    if (key === undefined) throw new AppError('unauthorized', 'This key is not in ADMIN_API_KEYS.');
    return this.open({ kind: 'key', name, role: key.role, boundTo: boundToKey(key.sha256) });
  }

  /** Throws `forbidden` for a role that cannot use the console, and `rate_limited`. */
  async open({ kind, name, role: given, boundTo, grant, idToken }: SignedIn): Promise<Opened> {
    const role = rankedRoles.find((ranked) => ranked === given);
    if (role === undefined) throw new AppError('forbidden', 'Keys of this role cannot use the console.');
    const { retryAfterSeconds } = this.openings.take(boundTo);
    if (retryAfterSeconds !== null) {
      const options = { retryAfterSeconds, reason: 'sessions' };
      throw new AppError('rate_limited', 'This caller has signed in too often.', options);
    }
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const session = { session_id: newId(), kind, name, role, created_at: now, used_at: now };
    const row = {
      ...{ ...session, digest: hash('sha256', token), bound_to: boundTo },
      given_by: grant === undefined ? null : grantDigestOf(this.people.issuer, grant),
      identity: idToken && idToken.length <= MAX_IDENTITY_CHARACTERS ? sealed(idToken, token) : null,
    };
    await this.lane.run(async (tx) => {
      await this.repository.deleteExpired(tx, this.unexpired());
      await this.repository.deleteOldest(tx, boundTo, MAX_SESSIONS - 1);
      await this.repository.insert(tx, row);
    });
    this.log.event('session.opened', { kind, role });
    return { session, token };
  }

  /** The session of a cookie, with the current role of its key. Throws `unauthorized`. */
  async find(token: string): Promise<Session> {
    const found = tokenPattern.test(token) ? await this.repository.byDigest(hash('sha256', token)) : null;
    const now = this.clock.now();
    const role = found && found.created_at <= now && endOf(found) > now ? this.roleOf(found) : null;
    if (found === null || role === null) {
      throw new AppError('unauthorized', 'The session has ended.', { reason: 'session_ended' });
    }
    if (now - found.used_at > SESSION_USED_EVERY_MS) await this.use(found.session_id, now);
    return { ...found, role };
  }

  /** Newest first; with `owner`, only those of this key or person. */
  async list(owner: SessionOwner, cursor: string | undefined, limit: number): Promise<Page<Session>> {
    const before = cursor === undefined ? null : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.repository.list(this.unexpired(), owner, before, limit + 1);
    return pageOf(rows, limit, ({ created_at, session_id }) => [created_at, session_id]);
  }

  /** The session with an id; null if there is none. */
  byId(sessionId: string): Promise<Session | null> {
    return this.repository.byId(sessionId, this.unexpired());
  }

  /**
   * Ends the session of a cookie, if it has one. Returns the identity token of its sign-in; null if it is not known.
   */
  async endOfCookie(token: string): Promise<string | null> {
    const found = tokenPattern.test(token) ? await this.repository.byDigest(hash('sha256', token)) : null;
    if (found === null) return null;
    await this.end(found.session_id);
    return found.identity === null ? null : opened(found.identity, token);
  }

  async end(sessionId: string): Promise<void> {
    await this.lane.run((tx) => this.repository.delete(tx, sessionId));
    this.log.event('session.ended');
  }

  /** A failed write is ignored, so that the console stays readable while the store refuses writes. */
  private async use(sessionId: string, at: number): Promise<void> {
    await this.lane.run((tx) => this.repository.use(tx, sessionId, at)).catch(() => undefined);
  }

  /**
   * Null if the key is no longer configured or another key has its name; for a person, if the issuer or the entry of
   * OIDC_ROLES that gave the role is no longer configured.
   */
  private roleOf({ kind, name, role, bound_to, given_by }: SessionEntity): RankedRole | null {
    if (kind === 'person') {
      const { issuer, roles } = this.people;
      return roles.some((entry) => grantDigestOf(issuer, entry) === given_by) ? role : null;
    }
    const key = this.config.keys.current.find((one) => one.name === name);
    if (key === undefined || boundToKey(key.sha256) !== bound_to) return null;
    return rankedRoles.find((ranked) => ranked === key.role) ?? null;
  }

  private unexpired(): Unexpired {
    const now = this.clock.now();
    return { createdAfter: now - MAX_SESSION_MS, usedAfter: now - IDLE_MS };
  }
}

/** Name to which a session with a key is bound. It changes with the key, and does not reveal the key's own digest. */
function boundToKey(sha256: Buffer): string {
  return hash('sha256', sha256);
}
