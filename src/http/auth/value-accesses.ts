import type { FastifyRequest } from 'fastify';

/** Records that a response or a push shows values of accounts; provided by the access log. */
export abstract class ValueAccesses {
  /**
   * Resolves once the accesses are durable: one entry for each of the accounts (`accounts.id`), none for an empty list.
   * Throws `storage_unavailable`, and `access_reason_required` if the caller must give a reason and has not.
   */
  abstract record(request: FastifyRequest, accounts: readonly number[]): Promise<void>;

  /**
   * The same for pushes to a subscription: one entry for each account, day and process, not for each push. Call it
   * before they are sent. Throws `storage_unavailable`.
   */
  abstract recordPushes(subscription: string, accounts: readonly number[]): Promise<void>;
}
