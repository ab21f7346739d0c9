import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { CoverageRepository } from './coverage.repository.js';
import { CoverageService } from './coverage.service.js';
import { HistoricalPullsRepository } from './historical-pulls.repository.js';
import { PullStreamsRepository } from './pull-streams.repository.js';
import { PullStreams } from './pull-streams.service.js';

@Module({
  imports: [AccountsModule],
  providers: [CoverageRepository, HistoricalPullsRepository, CoverageService, PullStreamsRepository, PullStreams],
  exports: [CoverageService, PullStreams],
})
export class CoverageModule {}
