import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { SourcePrioritiesController } from './source-priorities.controller.js';
import { SourcePrioritiesRepository } from './source-priorities.repository.js';
import { SourcePriorities } from './source-priorities.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [SourcePrioritiesController],
  providers: [SourcePrioritiesRepository, SourcePriorities],
  exports: [SourcePriorities],
})
export class SourcePrioritiesModule {}
