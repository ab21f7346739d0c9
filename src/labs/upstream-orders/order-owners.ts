import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { NO_ACCOUNT } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { isErasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { AppError } from '../../platform/platform/errors.js';
import type { WireOrder } from '../../upstream/client/wire-orders.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { OrdersTelemetry } from '../orders/orders.telemetry.js';

/** Codes with which AccountsService refuses to adopt an upstream user. */
const outsiders: readonly string[] = ['conflict', 'account_id_not_allowed', 'account_erased'];

/** Whose orders upstream shows. */
@Injectable()
export class OrderOwners {
  constructor(
    private readonly accounts: AccountsService,
    private readonly telemetry: OrdersTelemetry,
  ) {}

  /**
   * The account of an upstream user, who is adopted if necessary. Null if upstream does not know the user or the user
   * cannot be adopted, so that the orders of others are not delayed. `NO_ACCOUNT` for an erased person, whose orders
   * are not stored.
   */
  async find(userId: string, options: CallOptions): Promise<number | null> {
    try {
      return (await this.accounts.adoptByUpstreamUser(userId, options))?.id ?? null;
    } catch (error) {
      const cannotBeOurs = error instanceof AppError && outsiders.includes(error.code);
      const isRefused = error instanceof UpstreamError && error.isRefusal;
      if (!cannotBeOurs && !isRefused) throw error;
      this.telemetry.ownerRefused(error);
      return isErasedError(error) ? NO_ACCOUNT : null;
    }
  }

  /** By upstream user. */
  async findAll(orders: readonly WireOrder[], options: CallOptions): Promise<Map<string, number | null>> {
    const owners = new Map<string, number | null>();
    for (const { user_id } of orders) {
      if (!owners.has(user_id)) owners.set(user_id, await this.find(user_id, options));
    }
    return owners;
  }
}
