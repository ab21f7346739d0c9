import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { isExternalAccountId, isUuid } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { OwnerLookupsRepository, type UserKey } from './owner-lookups.repository.js';
import { OwnerLookupsWorker } from './owner-lookups.worker.js';

/** The user named in an event, by upstream's id if it has one. Null if no user can have such an id. */
export function userKey(userId: string | null, clientUserId: string | null): UserKey | null {
  if (userId !== null) return isUuid(userId) ? { by: 'user_id', id: userId.toLowerCase() } : null;
  return isExternalAccountId(clientUserId) ? { by: 'client_user_id', id: clientUserId } : null;
}

/**
 * Lookups of users who are named in events but have no account here. A worker finds them at upstream and creates their
 * accounts; until then, their messages wait.
 */
@Injectable()
export class OwnerLookups {
  constructor(
    private readonly lookups: OwnerLookupsRepository,
    private readonly worker: OwnerLookupsWorker,
    private readonly clock: Clock,
  ) {}

  /** Error code of an unsuccessful lookup in the last 15 minutes; null if there is none. */
  refusal(user: UserKey): Promise<string | null> {
    return this.lookups.refusal(user, this.clock.now());
  }

  /** Requests a lookup; returns its id, which waiting messages refer to. */
  request(tx: Tx, user: UserKey): Promise<number> {
    return this.lookups.request(tx, user, this.clock.now());
  }

  /** Call after requesting a lookup. */
  wake(): void {
    this.worker.loop.wake();
  }
}
