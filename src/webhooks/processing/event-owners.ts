import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../../accounts/account.entity.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { isUuid } from '../../platform/ids.js';
import { UpstreamClient } from '../../upstream/upstream.client.js';
import type { IgnoredReason } from '../handlers/plan.js';
import { InboxRepository } from '../inbox.repository.js';
import type { Envelope } from './envelope.js';
import { UnknownUser } from './failure.js';

/** Well inside the lease of a message. */
const adoptionDeadlineMs = 10_000;

export type Ownership = { readonly account: AccountEntity } | { readonly ignored: IgnoredReason };

/** Whose event it is. Asks upstream about users not known here, so it must not run inside a transaction. */
@Injectable()
export class EventOwners {
  private readonly adoptions = new Map<string, Promise<AccountEntity>>();
  private team: string | null = null;

  constructor(
    private readonly accounts: AccountsService,
    private readonly upstream: UpstreamClient,
    private readonly inbox: InboxRepository,
  ) {}

  /**
   * The account of the event's user, adopted if it is new here. Throws `UnknownUser` when neither we nor upstream know
   * the user, `UpstreamError`, and what adopting throws.
   */
  async ownerOf(envelope: Envelope, signal: AbortSignal): Promise<Ownership> {
    if (await this.isForeign(envelope)) return { ignored: 'foreign_team' };
    const account = await this.accountOf(envelope, signal);
    if (await this.isForeign(envelope)) return { ignored: 'foreign_team' };
    return account.status === 'erasing' ? { ignored: 'account_erasing' } : { account };
  }

  /** The account of the event's user if it is known here. */
  async knownOwner({ userId, clientUserId }: Pick<Envelope, 'userId' | 'clientUserId'>): Promise<AccountEntity | null> {
    if (userId !== null) return this.accounts.findByUpstreamUser(userId);
    return clientUserId === null ? null : this.accounts.find(clientUserId);
  }

  /** Events that name no user by upstream's id name it by ours, if at all (supplement 5.1). */
  private async accountOf(envelope: Envelope, signal: AbortSignal): Promise<AccountEntity> {
    const known = await this.knownOwner(envelope);
    if (known !== null) return known;
    if (envelope.userId === null) throw new UnknownUser();
    return this.adopted(envelope.userId, signal);
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
    this.team ??= await this.inbox.teamId();
    return this.team !== null && this.team.toLowerCase() !== teamId.toLowerCase();
  }
}
