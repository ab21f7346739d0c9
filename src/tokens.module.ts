import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { LinkAttemptsController } from './link-attempts/link-attempts.controller.js';
import { LinkAttemptsReader } from './link-attempts/link-attempts.reader.js';
import { LinkAttemptsRepository } from './link-attempts/link-attempts.repository.js';
import { LinkAttempts } from './link-attempts/link-attempts.service.js';
import { LinkFunnelService } from './link-attempts/link-funnel.service.js';
import { LinkOutcomesService } from './link-attempts/link-outcomes.service.js';
import { AccountTokensController } from './tokens/account-tokens.controller.js';
import { FrequentSignInsController } from './tokens/frequent-sign-ins.controller.js';
import { FrequentSignInsReader } from './tokens/frequent-sign-ins.reader.js';
import { FrequentSignIns } from './tokens/frequent-sign-ins.service.js';
import { MeTokensController } from './tokens/me-tokens.controller.js';
import { TokenIssuanceController } from './tokens/token-issuance.controller.js';
import { TokenIssuanceRepository } from './tokens/token-issuance.repository.js';
import { TokenIssuance } from './tokens/token-issuance.service.js';
import { TokenIssuer } from './tokens/token-issuer.js';
import { TokensRepository } from './tokens/tokens.repository.js';
import { TokensService } from './tokens/tokens.service.js';
import { TokensTelemetry } from './tokens/tokens.telemetry.js';
import { UpstreamModule } from './upstream/upstream.module.js';

@Module({
  imports: [AccountsModule, UpstreamModule],
  controllers: [
    MeTokensController,
    AccountTokensController,
    LinkAttemptsController,
    FrequentSignInsController,
    TokenIssuanceController,
  ],
  providers: [
    TokensRepository,
    TokensTelemetry,
    TokenIssuanceRepository,
    TokenIssuance,
    TokenIssuer,
    TokensService,
    LinkAttemptsRepository,
    LinkAttemptsReader,
    LinkAttempts,
    LinkFunnelService,
    LinkOutcomesService,
    FrequentSignInsReader,
    FrequentSignIns,
  ],
  exports: [LinkAttempts, LinkFunnelService, TokensTelemetry],
})
export class TokensModule {}
