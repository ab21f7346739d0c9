import { Global, Module } from '@nestjs/common';
import { AdminKeys } from './admin-keys.js';
import { Admission } from './admission.service.js';
import { AppTokenVerifier } from './app-token.verifier.js';
import { Credentials } from './credentials.js';
import { KeySetTelemetry } from './key-set.telemetry.js';
import { PersonTokenVerifier } from './person-token.verifier.js';
import { PlaceInterceptor } from './place.interceptor.js';
import { Refusals } from './refusals.js';

/** Provides what both guards need to the controllers of all features, and the quotas and slots of requests. */
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
  ],
  exports: [Credentials, Refusals, Admission, PlaceInterceptor],
})
export class AuthModule {}
