import { Injectable } from '@nestjs/common';
import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import { PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, CodedError, loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { nameOf, roleOf } from '../sessions/person-claims.js';
import { isAccessToken } from './app-token.claims.js';
import type { Actor } from './caller.js';
import { KeySet, keySetAlgorithms } from './key-set.js';
import type { KeySetTelemetry } from './key-set.telemetry.js';

const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;
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
    return this.keySet !== null && jwtPattern.test(credentials);
  }

  /** Throws `unauthorized` or `verification_unavailable`. A person without a role is refused. */
  async verify(token: string): Promise<Actor> {
    const { issuer = '', clientId = '', roles } = this.config;
    try {
      const key: JWTVerifyGetKey = (header, signed) => this.usable().key(header, signed);
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        algorithms: keySetAlgorithms,
        issuer,
        audience: clientId,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(this.clock.now()),
      });
      // Identity tokens only state who signed in; they do not authorise calls.
      const isForCalls = isAccessToken(protectedHeader, payload) && !('nonce' in payload) && !('at_hash' in payload);
      const role = isForCalls ? roleOf(payload, roles) : null;
      if (role !== null) return { name: nameOf(payload, issuer), role, kind: 'person' };
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

/** Omits the alarm about app tokens, because people can still sign in with a key. */
function telemetryOf(log: Log): Pick<KeySetTelemetry, 'readable' | 'unreadable'> {
  return {
    readable: () => undefined,
    unreadable: (error) => log.event('session.key_set_unreadable', loggable(error), 'warn'),
  };
}

function refused(cause?: unknown): AppError {
  return new AppError('unauthorized', 'The access token is invalid, or grants no role.', {
    cause,
    reason: 'person_token',
  });
}
