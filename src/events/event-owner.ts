import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Tx } from '../database/tx.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { UnknownUser } from '../inbox/failure.js';
import { isUuid } from '../platform/ids.js';
import { SchemaService } from '../schema/schema.service.js';
import { UpstreamClient } from '../upstream/upstream.client.js';
import type { Envelope } from './envelope.js';
import type { IgnoredReason } from './plan.js';

/** Well inside the lease of a message. */
const adoptionDeadlineMs = 10_000;

export type Ownership = { readonly account: AccountEntity } | { readonly ignored: IgnoredReason };

/** Whose an event is as far as is known here; null for nobody's, or for what is not to be told apart yet. */
export type Known = { readonly account: AccountEntity } | 'erased' | null;

/** Whose event it is. Asks upstream about users not known here, so it must not run inside a transaction. */
@Injectable()
export class EventOwner {
  private readonly adoptions = new Map<string, Promise<AccountEntity>>();
  private team: string | null = null;

  constructor(
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamClient,
    private readonly schema: SchemaService,
    private readonly fence: ErasureGuard,
  ) {}

  /**
   * Whose an event is, whatever it is about, as far as the store knows. Events that name no user by upstream's id name
   * it by ours, if at all (supplement 5.1).
   */
  async known(envelope: Envelope): Promise<Known> {
    const { userId, clientUserId } = envelope;
    if (await this.isForeign(envelope)) return null;
    const account =
      userId !== null
        ? await this.accounts.findByUpstreamUser(userId)
        : clientUserId === null
          ? null
          : await this.accounts.find(clientUserId);
    if (account) return account.status === 'erasing' ? 'erased' : { account };
    return userId !== null && (await this.fence.isErased(userId)) ? 'erased' : null;
  }

  /**
   * The account of the event's user, adopted if it is new here. Throws `UnknownUser` when neither we nor upstream know
   * the user, `UpstreamError`, and what adopting throws.
   */
  async ownerOf(envelope: Envelope, known: Exclude<Known, 'erased'>, signal: AbortSignal): Promise<Ownership> {
    if (await this.isForeign(envelope)) return { ignored: 'foreign_team' };
    if (known) return known;
    if (envelope.userId === null) throw new UnknownUser();
    const account = await this.adopted(envelope.userId, signal);
    return (await this.isForeign(envelope)) ? { ignored: 'foreign_team' } : { account };
  }

  /** Throws `account_erased` when the account is no longer to be written to; otherwise it stays open until the end. */
  hold(tx: Tx, account: number): Promise<void> {
    return this.fence.assertWritable(tx, account);
  }

  /** Counts an event of an erased person, with the transaction that lets go of its body. */
  async turnAway(tx: Tx, { userId }: Envelope): Promise<void> {
    if (userId !== null) await this.fence.countIfErased(tx, userId);
  }

  /** Many events of a new user arrive together; upstream is asked once. */
  private adopted(userId: string, signal: AbortSignal): Promise<AccountEntity> {
    const running = this.adoptions.get(userId);
    if (running) return running;
    const adoption = this.adopt(userId, signal).finally(() => this.adoptions.delete(userId));
    this.adoptions.set(userId, adoption);
    return adoption;
  }

  private async adopt(userId: string, signal: AbortSignal): Promise<AccountEntity> {
    if (!isUuid(userId)) throw new UnknownUser();
    const options = { priority: 'background', deadlineMs: adoptionDeadlineMs, signal } as const;
    const user = await this.upstream.findUser(userId, options);
    if (user === null) throw new UnknownUser();
    return this.accounts.adopt(user);
  }

  /** The team is stamped once and never changes, so it is read until it is known. */
  private async isForeign({ teamId }: Envelope): Promise<boolean> {
    if (teamId === null) return false;
    this.team ??= await this.schema.teamId();
    return this.team !== null && this.team.toLowerCase() !== teamId.toLowerCase();
  }
}
