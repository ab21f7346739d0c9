import { Module } from '@nestjs/common';
import { UpstreamModule } from '../../upstream/client/upstream.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ErasureGuardModule } from '../erasure-guard/erasure-guard.module.js';
import { LinkAttemptsModule } from '../link-attempts/link-attempts.module.js';
import { FrequentSignInsController } from './frequent-sign-ins.controller.js';
import { TokenIssuanceController } from './token-issuance.controller.js';
import { TokenIssuance } from './token-issuance.service.js';
import { AccountTokensController, MeTokensController } from './tokens.controller.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';
import { TokensTelemetry } from './tokens.telemetry.js';

@Module({
  imports: [AccountsModule, ErasureGuardModule, LinkAttemptsModule, UpstreamModule],
  controllers: [MeTokensController, AccountTokensController, FrequentSignInsController, TokenIssuanceController],
  providers: [TokensRepository, TokensTelemetry, TokenIssuance, TokensService],
})
export class TokensModule {}
