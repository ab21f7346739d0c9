import { Injectable } from '@nestjs/common';
import type { Actor } from '../../http/auth/caller.js';
import { AdminConfig } from '../../platform/config/config.js';
import { type FeedScope, thinScope } from '../../platform/config/feed-scope.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { toIso } from '../../platform/platform/time.js';
import { ChangeLog } from '../../storage/change-log/change-log.service.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { ChangeConsumerEntity } from './change-consumer.entity.js';
import { ConsumersRepository } from './consumers.repository.js';
import type { ConsumerDto } from './feed.dto.js';

/** Protects the table from names that keep changing, such as those of pods: the lag of every consumer is computed. */
const MAX_CONSUMERS = 1_000;
/** So that one key does not take the names of all. */
const MAX_OF_KEY = 20;

/** Stores how far services have processed the changes. */
@Injectable()
export class Consumers {
  constructor(
    private readonly repository: ConsumersRepository,
    private readonly log: ChangeLog,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly config: AdminConfig,
  ) {}

  /**
   * Stores a position, which may be earlier than before. Throws like `ChangeLog.positionOf`, `conflict` if there are
   * too many consumers, of all keys or of this one, and `forbidden` if the position of this consumer is reported by a
   * key that may read more.
   */
  async report(name: string, cursor: string, { name: by, role, feed = thinScope }: Actor): Promise<void> {
    const position = await this.log.positionOf(cursor, 'cursor');
    const row = { name, ...position, reported_by: by, reported_at: this.clock.now() };
    await this.lane.run(async (tx) => {
      const known = await this.repository.find(tx, name);
      if (role === 'feed' && known && !this.mayTakeOver(known.reported_by, by, feed)) {
        throw new AppError('forbidden', 'The position of this consumer is reported by a key that may read more.');
      }
      if (known?.reported_by !== by) {
        const { all, own } = await this.repository.counts(tx, by);
        if (own >= MAX_OF_KEY) throw tooMany(`This key reports ${MAX_OF_KEY} consumers already`);
        if (!known && all >= MAX_CONSUMERS) throw tooMany(`There are ${MAX_CONSUMERS} consumers already`);
      }
      await this.repository.store(tx, row);
    });
  }

  /** Sorted by name. */
  async list(): Promise<ConsumerDto[]> {
    const rows = await this.repository.list();
    return Promise.all(rows.map((row) => this.shown(row)));
  }

  /** Throws `not_found`. */
  async forget(name: string): Promise<void> {
    if (await this.lane.run((tx) => this.repository.delete(tx, name))) return;
    throw new AppError('not_found', 'No consumer has this name.');
  }

  /** True if the reporting key is the same, may read no more than this one, or is no longer configured. */
  private mayTakeOver(reportedBy: string, by: string, { kinds, values }: FeedScope): boolean {
    const key = this.config.keys.current.find(({ name }) => name === reportedBy);
    if (!key || reportedBy === by) return true;
    return (values || !key.feed.values) && key.feed.kinds.every((kind) => kinds.includes(kind));
  }

  private async shown({ name, reported_by, reported_at, ...position }: ChangeConsumerEntity): Promise<ConsumerDto> {
    const { lag, since, isExpired } = await this.log.lagOf(position);
    return {
      ...{ name, reported_by, cursor: cursorOf(position), reported_at: toIso(reported_at), lag },
      lag_seconds: since === null ? 0 : Math.max(0, Math.round((this.clock.now() - since) / 1_000)),
      expired: isExpired,
    };
  }
}

function tooMany(sentence: string): AppError {
  return new AppError('conflict', `${sentence}; an operator must remove unused ones first.`);
}
