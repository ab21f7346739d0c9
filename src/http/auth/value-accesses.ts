import type { FastifyRequest } from 'fastify';

/** Records that a response or push shows values of accounts; the access log implements it. */
export abstract class ValueAccesses {
  /**
   * Resolves once the accesses are durable: one entry for each account (`accounts.id`), none for an empty list; of all
   * event streams of a key one per account, minute and process. Throws `storage_unavailable`, and
   * `access_reason_required` if the caller must give a reason and did not.
   */
  abstract record(request: FastifyRequest, accounts: readonly number[]): Promise<void>;

  /**
   * The same for pushes to a subscription, with one entry per account, day and process instead of one per push. Call it
   * before they are sent. Throws `storage_unavailable`.
   */
  abstract recordPushes(subscription: string, accounts: readonly number[]): Promise<void>;
}
