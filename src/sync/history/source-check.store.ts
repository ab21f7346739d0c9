import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../accounts/sources/connections.service.js';
import { SourceChecks } from '../../accounts/sources/source-checks.service.js';
import { SyncConfig } from '../../config/config.js';
import type { Tx } from '../../database/tx.js';
import { instant } from '../../health-data/map-samples.js';
import { Clock } from '../../platform/clock.js';
import { nextSlot } from '../schedule/slots.js';
import { type NewStreams, StreamRepository } from '../schedule/stream.repository.js';
import { HistoryRecorder } from './history.recorder.js';
import { LOOK_EVERY_MS, type OpenSince, soonerLook } from './next-look.js';
import type { Look } from './source-look.js';

/** A connection so young may still get pulls that upstream has not scheduled yet. */
const YOUNG_MS = 3_600_000;

/** Makes the store agree with a look at an account's sources, and says when to look again: all in one transaction. */
@Injectable()
export class SourceCheckStore {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly checks: SourceChecks,
    private readonly streams: StreamRepository,
    private readonly history: HistoryRecorder,
    private readonly config: SyncConfig,
    private readonly clock: Clock,
  ) {}

  async apply(tx: Tx, account: number, look: Look): Promise<void> {
    const now = this.clock.now();
    const changes = await this.connections.reconcile(tx, account, [...look.connections], look.at);
    const streamsOf = (provider: string): NewStreams => ({ account, provider, resources: this.config.resources, now });
    for (const provider of changes.connected) await this.streams.connect(tx, streamsOf(provider));
    for (const provider of [...changes.errored, ...changes.gone]) await this.streams.pause(tx, account, provider, now);
    for (const { slug } of connectedOf(look)) await this.streams.add(tx, streamsOf(slug));
    await this.history.record(tx, account, look.pulls);
    const sooner = soonerLook([...look.pulls, ...awaited(look, now)], now);
    const nextDueAt = sooner === null ? nextSlot(`look ${account}`, LOOK_EVERY_MS, now) : now + sooner;
    await this.checks.complete(tx, account, { now, nextDueAt });
  }
}

function connectedOf({ connections }: Look): Look['connections'] {
  return connections.filter(({ status }) => status === 'connected');
}

/** Young connections that no pull is listed for, as if one were open. */
function awaited(look: Look, now: number): OpenSince[] {
  const listed = new Set(look.pulls.map(({ provider }) => provider));
  return connectedOf(look)
    .filter(({ slug }) => !listed.has(slug))
    .map(({ created_on }) => ({ status: 'awaited', scheduled_at: instant(created_on) }))
    .filter(({ scheduled_at }) => scheduled_at !== null && now - scheduled_at < YOUNG_MS);
}
