import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ErasureGuardModule } from '../erasure-guard/erasure-guard.module.js';
import { LinkAttemptsModule } from '../link-attempts/link-attempts.module.js';
import { AccountTokensController } from './account-tokens.controller.js';
import { FrequentSignInsController } from './frequent-sign-ins.controller.js';
import { FrequentSignIns } from './frequent-sign-ins.service.js';
import { MeTokensController } from './me-tokens.controller.js';
import { TokenIssuanceController } from './token-issuance.controller.js';
import { TokenIssuance } from './token-issuance.service.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';
import { TokensTelemetry } from './tokens.telemetry.js';

@Module({
  imports: [AccountsModule, ErasureGuardModule, LinkAttemptsModule, UpstreamModule],
  controllers: [MeTokensController, AccountTokensController, FrequentSignInsController, TokenIssuanceController],
  providers: [TokensRepository, TokensTelemetry, TokenIssuance, TokensService, FrequentSignIns],
})
export class TokensModule {}
