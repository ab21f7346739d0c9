import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AccountTokensController } from './account-tokens.controller.js';
import { LinkOutcomesService } from './link-outcomes.service.js';
import { MeTokensController } from './me-tokens.controller.js';
import { TokenDesk } from './token-desk.js';
import { TokenEvents } from './tokens.events.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [AccountsModule, UpstreamModule],
  controllers: [MeTokensController, AccountTokensController],
  providers: [TokensRepository, TokenEvents, TokenDesk, TokensService, LinkOutcomesService],
})
export class TokensModule {}
