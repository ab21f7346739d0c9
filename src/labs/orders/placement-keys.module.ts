import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { OrderPlacementsRepository } from './order-placements.repository.js';
import { PlacementKeys } from './placement-keys.service.js';

/** Idempotency keys of placed orders: one key places at most one order. */
@Module({ imports: [AccountsModule], providers: [OrderPlacementsRepository, PlacementKeys], exports: [PlacementKeys] })
export class PlacementKeysModule {}
