import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { isExternalAccountId, isUuid } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { OwnerLookupsRepository, type UserKey } from './owner-lookups.repository.js';
import { OwnerLookupsWorker } from './owner-lookups.worker.js';

export type { UserKey } from './owner-lookups.repository.js';

/** The user ids in an event; upstream's id counts before the customer's. Null if no user can have such an id. */
export function userKey(userId: string | null, clientUserId: string | null): UserKey | null {
  if (userId !== null) return isUuid(userId) ? { by: 'user_id', id: userId.toLowerCase() } : null;
  return isExternalAccountId(clientUserId) ? { by: 'client_user_id', id: clientUserId } : null;
}

/**
 * Users whom events name and who have no account here. A worker looks requested users up at upstream, separately from
 * all other work, and creates their accounts; messages that arrive until then wait for the result.
 */
@Injectable()
export class OwnerLookups {
  constructor(
    readonly rows: OwnerLookupsRepository,
    private readonly worker: OwnerLookupsWorker,
    private readonly clock: Clock,
  ) {}

  /**
   * Why nothing can be stored for a user, according to a lookup of the last minutes; null if upstream has to be asked.
   */
  refusal(user: UserKey): Promise<string | null> {
    return this.rows.refusal(user, this.clock.now());
  }

  /** Requests a lookup of a user; returns the number under which waiting messages are found. */
  request(tx: Tx, user: UserKey): Promise<number> {
    return this.rows.request(tx, user, this.clock.now());
  }

  /** A hint that a lookup was asked for. */
  wake(): void {
    this.worker.loop.wake();
  }
}
