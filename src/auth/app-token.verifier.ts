import { Injectable } from '@nestjs/common';
import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { AppAuthConfig } from '../config/config.js';
import { Clock } from '../platform/clock.js';
import { AppError, CodedError } from '../platform/errors.js';
import { type ExternalAccountId, isExternalAccountId } from '../platform/ids.js';

const clockToleranceSeconds = 5;
const keySetAlgorithms = ['RS256', 'ES256', 'EdDSA'];
const secretAlgorithms = ['HS256'];
/** A token with an unknown key makes us look for new keys, but not more often than this. */
const keySetCooldownMs = 10_000;
const keySetMaxAgeMs = 600_000;
const keySetTimeoutMs = 5_000;

type Key = Parameters<typeof jwtVerify>[1];

/**
 * Verifies the customer's own access tokens: signature by a pinned algorithm, expiry (required), not-before, issuer and
 * audience where configured, five seconds of skew.
 *
 * Keys come from the configured secret, or from a key set that is cached for ten minutes and read again when a token
 * names a key it does not hold. No usable key set is our trouble, not the caller's: `verification_unavailable`.
 */
@Injectable()
export class AppTokenVerifier {
  private readonly keys: Key | JWTVerifyGetKey;
  private readonly algorithms: string[];

  constructor(
    private readonly config: AppAuthConfig,
    private readonly clock: Clock,
  ) {
    this.keys = config.secret ?? remoteKeys(config.jwksUrl);
    this.algorithms = config.secret ? secretAlgorithms : keySetAlgorithms;
  }

  /** The account id the token stands for. Throws `unauthorized` or `verification_unavailable`. */
  async verify(token: string): Promise<ExternalAccountId> {
    const payload = await this.verified(token);
    const { accountClaim } = this.config;
    const accountId = Object.hasOwn(payload, accountClaim) ? payload[accountClaim] : undefined;
    if (!isExternalAccountId(accountId))
      throw new AppError('unauthorized', 'The access token names no usable account.', { reason: 'no_account' });
    return accountId;
  }

  private async verified(token: string): Promise<JWTPayload> {
    try {
      return await this.verifiedBy(this.keys, token);
    } catch (error) {
      if (error instanceof CodedError) throw error;
      throw new AppError('unauthorized', 'The access token is not valid.', { cause: error, reason: reasonOf(error) });
    }
  }

  /** A token without a key id can fit several keys of the set, for instance while they are rotated: each is tried. */
  private async verifiedBy(keys: Key | JWTVerifyGetKey, token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys as JWTVerifyGetKey, this.options());
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return this.verifiedByAny(error, token);
    }
  }

  private async verifiedByAny(candidates: AsyncIterable<Key>, token: string): Promise<JWTPayload> {
    for await (const key of candidates) {
      try {
        return await this.verifiedBy(key, token);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }

  private options(): JWTVerifyOptions {
    return {
      algorithms: this.algorithms,
      issuer: this.config.issuer,
      audience: this.config.audience,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(this.clock.now()),
    };
  }
}

/** Tells a key set that lacks the token's key, which is about the token, from one that cannot be had. */
function remoteKeys(jwksUrl: string | undefined): JWTVerifyGetKey {
  if (jwksUrl === undefined) throw new TypeError('Neither a key set nor a secret for access tokens is configured.');
  const keySet = createRemoteJWKSet(new URL(jwksUrl), {
    cooldownDuration: keySetCooldownMs,
    cacheMaxAge: keySetMaxAgeMs,
    timeoutDuration: keySetTimeoutMs,
  });
  return async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      if (isAboutTheToken(error)) throw error;
      const message = 'The keys of the access tokens cannot be read now.';
      throw new AppError('verification_unavailable', message, { cause: error });
    }
  };
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

const claimReasons: Readonly<Record<string, string>> = {
  aud: 'wrong_audience',
  iss: 'wrong_issuer',
  nbf: 'not_yet_valid',
  exp: 'no_expiry',
};

/** Why a token is refused, as one of few words. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimReasons[error.claim] ?? 'wrong_claim';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'wrong_algorithm';
  return 'malformed';
}
