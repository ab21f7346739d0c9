import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { ErasureGuard } from '../erasure-guard/erasure-guard.service.js';
import { Clock } from '../platform/clock.js';
import { type IssuanceState, TokenIssuanceRepository } from './token-issuance.repository.js';
import { type DenialReason, TokensTelemetry } from './tokens.telemetry.js';

/**
 * Ends the issue of tokens, for everybody or with the status of an account for one. Nothing is kept in memory: every
 * process reads the store for each token, once with the record of its issue and again before it is handed out, so that
 * none leaves once somebody was told that they are stopped.
 */
@Injectable()
export class TokenIssuance {
  constructor(
    private readonly lane: WriteLane,
    private readonly repository: TokenIssuanceRepository,
    private readonly fence: ErasureGuard,
    private readonly clock: Clock,
    private readonly events: TokensTelemetry,
  ) {}

  state(): Promise<IssuanceState> {
    return this.repository.state();
  }

  /** Opens or closes the desk; once it is as asked nothing changes. `by` is the name of an operator's key. */
  async set(open: boolean, by: string): Promise<IssuanceState> {
    const at = this.clock.now();
    const { changed, state } = await this.lane.run(async (tx) => {
      const changed = open ? await this.repository.open(tx) : await this.repository.close(tx, by, at);
      return { changed, state: await this.repository.state(tx) };
    });
    if (changed) this.events.switched(open);
    return state;
  }

  /** Why this account gets no token, null if it gets one. With `tx` it looks there, and holds the account open until the end. */
  async refusal(accountRef: number, tx?: Tx): Promise<DenialReason | null> {
    if (tx && !(await this.fence.isWritable(tx, accountRef))) return 'account_erased';
    const { closed_at, account } = await this.repository.permits(accountRef, tx);
    if (account === null || account === 'erasing') return 'account_erased';
    if (closed_at !== null) return 'tokens_closed';
    return account === 'active' ? null : 'account_blocked';
  }
}
