import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountTokensController } from './account-tokens.controller.js';
import { TokenSwitchController } from './closing/token-switch.controller.js';
import { TokenSwitchRepository } from './closing/token-switch.repository.js';
import { TokenSwitch } from './closing/token-switch.service.js';
import { FrequentSignInsController } from './frequency/frequent-sign-ins.controller.js';
import { FrequentSignInsReader } from './frequency/frequent-sign-ins.reader.js';
import { FrequentSignIns } from './frequency/frequent-sign-ins.service.js';
import { LinkAttemptsController } from './links/link-attempts.controller.js';
import { LinkAttemptsReader } from './links/link-attempts.reader.js';
import { LinkAttemptsRepository } from './links/link-attempts.repository.js';
import { LinkAttempts } from './links/link-attempts.service.js';
import { LinkFunnelService } from './links/link-funnel.service.js';
import { LinkOutcomesService } from './links/link-outcomes.service.js';
import { MeTokensController } from './me-tokens.controller.js';
import { TokenDesk } from './token-desk.js';
import { TokenEvents } from './tokens.events.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [AccountsModule, UpstreamModule],
  controllers: [
    MeTokensController,
    AccountTokensController,
    LinkAttemptsController,
    FrequentSignInsController,
    TokenSwitchController,
  ],
  providers: [
    TokensRepository,
    TokenEvents,
    TokenSwitchRepository,
    TokenSwitch,
    TokenDesk,
    TokensService,
    LinkAttemptsRepository,
    LinkAttemptsReader,
    LinkAttempts,
    LinkFunnelService,
    LinkOutcomesService,
    FrequentSignInsReader,
    FrequentSignIns,
  ],
  exports: [LinkAttempts, LinkFunnelService, TokenEvents],
})
export class TokensModule {}
