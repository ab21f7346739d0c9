import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { LinkAttemptsController, MeLinkOutcomesController } from './link-attempts.controller.js';
import { LinkAttemptsReader } from './link-attempts.reader.js';
import { LinkAttemptsRepository } from './link-attempts.repository.js';
import { LinkAttempts } from './link-attempts.service.js';
import { LinkAttemptsTelemetry } from './link-attempts.telemetry.js';
import { LinkFunnelService } from './link-funnel.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [MeLinkOutcomesController, LinkAttemptsController],
  providers: [LinkAttemptsTelemetry, LinkAttemptsRepository, LinkAttemptsReader, LinkFunnelService, LinkAttempts],
  exports: [LinkAttempts, LinkFunnelService],
})
export class LinkAttemptsModule {}
