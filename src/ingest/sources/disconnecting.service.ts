import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService, type Disconnected } from '../../accounts/connections/connections.service.js';
import { isPhoneProvider } from '../../accounts/connections/provider-facts.js';
import { assertWritable, erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { AppError } from '../../platform/platform/errors.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { inputRefusal, refusesInput, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { interactive } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { SourcePollsTelemetry } from './source-polls.telemetry.js';

export interface Disconnection extends Disconnected {
  readonly provider: string;
  /** Upstream may reconnect the source automatically. */
  readonly mayReturn: boolean;
}

const sent = sameNames('provider');

/**
 * Disconnects a source upstream and then here (docs/upstream/connections.md#deregister). Always calls upstream, because
 * a connection may not be stored yet; the response for a source that is not connected counts as success. The result is
 * then recorded in one transaction. After a crash in between, the next poll notices the disconnection, the access log,
 * which is written first, has the caller, and the call can be repeated.
 */
@Injectable()
export class Disconnecting {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly streams: PullStreams,
    private readonly upstream: UpstreamClient,
    private readonly lane: WriteLane,
    private readonly telemetry: SourcePollsTelemetry,
  ) {}

  /** Disconnects a source for the signed-in person. Throws like `disconnectFor`. */
  disconnectOwn(externalId: string, provider: string): Promise<Disconnection> {
    return this.disconnect(externalId, provider, 'person');
  }

  /**
   * Disconnects a source for the holder of the key `keyName`. Throws `not_found`, `account_erased`,
   * `upstream_invalid_request` for a provider that upstream does not know, and `UpstreamError`; none of them records
   * anything.
   */
  disconnectFor(externalId: string, provider: string, keyName: string): Promise<Disconnection> {
    return this.disconnect(externalId, provider, `key:${keyName}`);
  }

  private async disconnect(externalId: string, provider: string, askedBy: string): Promise<Disconnection> {
    const account = await this.accounts.get(externalId);
    if (account.status === 'erasing') throw erasedError();
    await this.deregister(account, provider);
    const disconnected = await this.lane.run(async (tx) => {
      await tx.lock('account', account.id);
      await assertWritable(tx, account.id);
      const done = await this.connections.recordDisconnected(tx, account.id, { provider, askedBy, now: tx.now });
      if (done.outcome === 'disconnected') await this.streams.pause(tx, account.id, provider);
      if (account.upstream_user_id !== null) await this.accounts.polls.request(tx, account.id);
      return done;
    });
    this.telemetry.disconnected(account.id, disconnected.outcome);
    return { ...disconnected, provider, mayReturn: isPhoneProvider(provider) };
  }

  /** Does nothing for an account without an upstream user, which has no sources there. */
  private async deregister({ upstream_user_id: userId }: Account, provider: string): Promise<void> {
    if (userId === null) return;
    const gone = await this.upstream.deregisterProvider(userId, provider, interactive).catch((error: unknown) => {
      if (!(error instanceof UpstreamError && refusesInput(error))) throw error;
      throw inputRefusal(error, sent, 'Upstream does not know this provider.');
    });
    if (!gone) throw new AppError('upstream_rejected', 'Upstream did not disconnect the source.');
  }
}
