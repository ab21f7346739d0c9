import { Global, Module } from '@nestjs/common';
import { AdminKeys } from './auth/admin-keys.js';
import { Admission } from './auth/admission.service.js';
import { AppTokenVerifier } from './auth/app-token.verifier.js';
import { Cookies } from './auth/cookies.js';
import { Credentials } from './auth/credentials.js';
import { KeySetTelemetry } from './auth/key-set.telemetry.js';
import { PersonTokenVerifier } from './auth/person-token.verifier.js';
import { PlaceInterceptor } from './auth/place.interceptor.js';
import { PublicAddress } from './auth/public-address.js';
import { ReadTurns } from './auth/read-turns.service.js';
import { Refusals } from './auth/refusals.js';
import { SessionsRepository } from './auth/sessions.repository.js';
import { Sessions } from './auth/sessions.service.js';

/** Credentials and sessions of callers, and the quotas and slots of requests, for the controllers of all wings. */
@Global()
@Module({
  providers: [
    KeySetTelemetry,
    AppTokenVerifier,
    AdminKeys,
    PersonTokenVerifier,
    Refusals,
    Credentials,
    Admission,
    PlaceInterceptor,
    ReadTurns,
    SessionsRepository,
    Sessions,
    PublicAddress,
    Cookies,
  ],
  exports: [Credentials, Refusals, Admission, PlaceInterceptor, ReadTurns, Sessions, PublicAddress, Cookies],
})
export class HttpModule {}
