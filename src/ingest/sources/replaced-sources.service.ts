import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { AppError } from '../../platform/platform/errors.js';
import { Disconnecting, type Disconnection } from './disconnecting.service.js';
import { type Retirement, SourceList } from './source-list.service.js';

/** Disconnects sources of retired providers once their successors have taken over. */
@Injectable()
export class ReplacedSources {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly sources: SourceList,
    private readonly disconnecting: Disconnecting,
  ) {}

  /**
   * Like `Disconnecting.disconnectFor`. The successor has taken over if it is connected, its history is complete, and
   * records are stored, one of them new. Throws `conflict` with the missing evidence, unless the source is already
   * disconnected.
   */
  async disconnect(externalId: string, provider: string, keyName: string): Promise<Disconnection> {
    const { id } = await this.accounts.get(externalId);
    const connections = await this.connections.list(id);
    const isOver = connections.some((one) => one.provider === provider && one.status === 'disconnected');
    if (!isOver) assertReplaced(await this.sources.retirementOf(id, provider));
    return this.disconnecting.disconnectFor(externalId, provider, keyName);
  }
}

function assertReplaced(retirement: Retirement | null): void {
  if (!retirement) {
    throw new AppError(
      'conflict',
      'The provider is not retired, so it has no successor; use DELETE to disconnect the source.',
    );
  }
  const { succession, evidence } = retirement;
  const missing = Object.entries(evidence).filter(([, holds]) => holds !== true);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name).join(', ');
  throw new AppError('conflict', `The successor ${succession.successor} has not taken over yet; missing: ${names}.`);
}
