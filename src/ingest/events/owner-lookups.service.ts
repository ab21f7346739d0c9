import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { isExternalAccountId, isUuid } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { OwnerLookupsRepository, type UserKey } from './owner-lookups.repository.js';
import { OwnerLookupsWorker } from './owner-lookups.worker.js';

export type { UserKey } from './owner-lookups.repository.js';

/** How an event names its user; upstream's id counts before the customer's. Null when no user can have such an id. */
export function userKey(userId: string | null, clientUserId: string | null): UserKey | null {
  if (userId !== null) return isUuid(userId) ? { by: 'user_id', id: userId.toLowerCase() } : null;
  return isExternalAccountId(clientUserId) ? { by: 'client_user_id', id: clientUserId } : null;
}

/**
 * Users whom events name and who have no account here. What is asked for here is looked up upstream by a worker, away
 * from everything else, and the account is made; what comes meanwhile waits for the answer.
 */
@Injectable()
export class OwnerLookups {
  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly worker: OwnerLookupsWorker,
    private readonly clock: Clock,
  ) {}

  /** Why nothing can be stored for a user, as of an answer of the last minutes; null when upstream is to be asked. */
  refusal(user: UserKey): Promise<string | null> {
    return this.lookups.refusal(user, this.clock.now());
  }

  /** Has a user looked up; answers the number by which what waits for it is found again. */
  request(tx: Tx, user: UserKey): Promise<number> {
    return this.lookups.request(tx, user, this.clock.now());
  }

  /** A hint that a lookup was asked for. */
  wake(): void {
    this.worker.loop.wake();
  }

  /** Numbers of lookups with an answer for which something may still wait. */
  answered(limit: number): Promise<number[]> {
    return this.lookups.answered(limit);
  }

  /** Nothing waits for this answer any more. Does nothing to a lookup that was asked for anew. */
  close(tx: Tx, lookup: number): Promise<void> {
    return this.lookups.close(tx, lookup);
  }
}
