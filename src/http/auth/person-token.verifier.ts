import { Injectable } from '@nestjs/common';
import type { JWTPayload } from 'jose';
import { PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, CodedError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { clientsIn, isMarkedAsAccessToken } from './app-token.claims.js';
import { type Actor, looksLikeToken } from './caller.js';
import { discoveryFields } from './discovery.js';
import { KeySet } from './key-set.js';
import type { KeySetTelemetry } from './key-set.telemetry.js';
import { grantOf, nameOf } from './person-claims.js';

const clockToleranceSeconds = 5;

/** Verifies access tokens that the people's identity provider issued for this service. */
@Injectable()
export class PersonTokenVerifier {
  private readonly keySet: KeySet | null;

  constructor(
    private readonly config: PeopleConfig,
    private readonly clock: Clock,
    log: Log,
  ) {
    const { issuer } = config;
    this.keySet = issuer === undefined ? null : new KeySet({ issuer }, clock, telemetryOf(log));
  }

  /** True if this may be a token of the identity provider, and one is configured. */
  isCandidate(credentials: string): boolean {
    return this.keySet !== null && looksLikeToken(credentials);
  }

  /** Throws `unauthorized` or `verification_unavailable`. A person without a role is refused. */
  async verify(token: string): Promise<Actor> {
    const { issuer = '', clientId = '', roles } = this.config;
    try {
      const { payload, protectedHeader } = await this.usable().verify(token, {
        issuer,
        audience: clientId,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.clock.now()),
      });
      // Its audience is also that of identity tokens, which only state who signed in and do not authorise calls.
      const isForCalls = isMarkedAsAccessToken(protectedHeader, payload) && isFrom(payload, clientId);
      const grant = isForCalls ? grantOf(payload, roles) : null;
      if (grant !== null) return { name: nameOf(payload, issuer), role: grant.role, kind: 'person' };
    } catch (error) {
      if (error instanceof CodedError) throw error;
      throw refused(error);
    }
    throw refused();
  }

  private usable(): KeySet {
    if (this.keySet === null) throw refused();
    return this.keySet;
  }
}

/** The token is of a person, and was not issued to another client than ours. */
function isFrom(claims: JWTPayload, clientId: string): boolean {
  return claims.sub !== '' && clientsIn(claims).every((client) => client === clientId);
}

/** Omits the alarm about app tokens, because people can still sign in with a key. */
function telemetryOf(log: Log): Pick<KeySetTelemetry, 'readable' | 'unreadable'> {
  return {
    readable: () => undefined,
    unreadable: (error) => log.event('session.key_set_unreadable', discoveryFields(error), 'warn'),
  };
}

function refused(cause?: unknown): AppError {
  return new AppError('unauthorized', 'The access token is invalid, or grants no role.', {
    cause,
    reason: 'person_token',
  });
}
