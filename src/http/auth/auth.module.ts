import { Global, Module } from '@nestjs/common';
import { AdminKeys } from './admin-keys.js';
import { AppTokenVerifier } from './app-token.verifier.js';
import { Credentials } from './credentials.js';
import { KeySetTelemetry } from './key-set.telemetry.js';
import { PersonTokenVerifier } from './person-token.verifier.js';
import { Refusals } from './refusals.js';

/** Dependencies of the two guards, for the controllers of every feature. */
@Global()
@Module({
  providers: [KeySetTelemetry, AppTokenVerifier, AdminKeys, PersonTokenVerifier, Refusals, Credentials],
  exports: [Credentials, Refusals],
})
export class AuthModule {}
