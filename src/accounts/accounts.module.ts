import { Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountsController } from './accounts.controller.js';
import { AccountEvents } from './accounts.events.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AccountsWorker } from './accounts.worker.js';
import { ConnectionsRepository } from './sources/connections.repository.js';
import { ConnectionsService } from './sources/connections.service.js';
import { SourceChecksRepository } from './sources/source-checks.repository.js';
import { SourceChecks } from './sources/source-checks.service.js';
import { UpstreamUsers } from './upstream-users.js';

@Module({
  imports: [UpstreamModule],
  controllers: [AccountsController],
  providers: [
    AccountEvents,
    AccountsRepository,
    UpstreamUsers,
    AccountsService,
    AccountsWorker,
    ConnectionsRepository,
    ConnectionsService,
    SourceChecksRepository,
    SourceChecks,
  ],
  exports: [AccountsService, AccountsWorker, ConnectionsService, SourceChecks],
})
export class AccountsModule {}
