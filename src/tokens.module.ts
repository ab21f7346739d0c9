import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { AccountTokensController } from './tokens/account-tokens.controller.js';
import { TokenSwitchController } from './tokens/closing/token-switch.controller.js';
import { TokenSwitchRepository } from './tokens/closing/token-switch.repository.js';
import { TokenSwitch } from './tokens/closing/token-switch.service.js';
import { FrequentSignInsController } from './tokens/frequency/frequent-sign-ins.controller.js';
import { FrequentSignInsReader } from './tokens/frequency/frequent-sign-ins.reader.js';
import { FrequentSignIns } from './tokens/frequency/frequent-sign-ins.service.js';
import { LinkAttemptsController } from './tokens/links/link-attempts.controller.js';
import { LinkAttemptsReader } from './tokens/links/link-attempts.reader.js';
import { LinkAttemptsRepository } from './tokens/links/link-attempts.repository.js';
import { LinkAttempts } from './tokens/links/link-attempts.service.js';
import { LinkFunnelService } from './tokens/links/link-funnel.service.js';
import { LinkOutcomesService } from './tokens/links/link-outcomes.service.js';
import { MeTokensController } from './tokens/me-tokens.controller.js';
import { TokenDesk } from './tokens/token-desk.js';
import { TokenEvents } from './tokens/tokens.events.js';
import { TokensRepository } from './tokens/tokens.repository.js';
import { TokensService } from './tokens/tokens.service.js';
import { UpstreamModule } from './upstream/upstream.module.js';

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
