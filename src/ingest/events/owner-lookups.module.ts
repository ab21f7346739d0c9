import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { OwnerLookupsRepository } from './owner-lookups.repository.js';
import { OwnerLookups } from './owner-lookups.service.js';
import { OwnerLookupsTelemetry } from './owner-lookups.telemetry.js';
import { OwnerLookupsWorker } from './owner-lookups.worker.js';
import { UpstreamUserSearch } from './upstream-user-search.js';

/** Finds the owner of an event if only upstream knows it. */
@Module({
  imports: [AccountsModule, UpstreamModule],
  providers: [OwnerLookupsRepository, OwnerLookupsTelemetry, UpstreamUserSearch, OwnerLookupsWorker, OwnerLookups],
  exports: [OwnerLookups],
})
export class OwnerLookupsModule {}
