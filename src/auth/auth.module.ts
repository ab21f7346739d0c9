import { Global, Module } from '@nestjs/common';
import { AdminKeys } from './admin-keys.js';
import { AppTokenVerifier } from './app-token.verifier.js';
import { Refusals } from './refusals.js';

/** What the two guards need, for the controllers of every feature. */
@Global()
@Module({
  providers: [AppTokenVerifier, AdminKeys, Refusals],
  exports: [AppTokenVerifier, AdminKeys, Refusals],
})
export class AuthModule {}
