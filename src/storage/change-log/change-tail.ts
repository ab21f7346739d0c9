import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CHANGE_TAIL_LOOK_MS } from '../database/tuning.js';
import { ChangeLogRepository } from './change-log.repository.js';

interface Waiter {
  readonly after: number;
  readonly end: () => void;
}

/** Wakes readers when changes get numbers. Waiting holds no connection of the store. */
@Injectable()
export class ChangeTail implements OnModuleDestroy {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | null = null;
  /** True once the process stops; readers then finish what they have begun. */
  isClosed = false;

  constructor(private readonly repository: ChangeLogRepository) {}

  onModuleDestroy(): void {
    this.isClosed = true;
    for (const { end } of [...this.waiters]) end();
    if (this.timer) clearTimeout(this.timer);
  }

  /** Resolves when a change after `number` may be numbered, or when the signal aborts. */
  wait(number: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter = { after: number, end };
      signal.addEventListener('abort', end);
      this.waiters.add(waiter);
      this.timer ??= setTimeout(() => void this.look(), CHANGE_TAIL_LOOK_MS).unref();
    });
  }

  /** Call when changes up to this number can be read. */
  numbered(last: number): void {
    for (const { after, end } of [...this.waiters]) if (after < last) end();
  }

  private async look(): Promise<void> {
    const feed = await this.repository.feed().catch(() => null);
    if (feed) this.numbered(feed.last_number);
    this.timer = this.waiters.size === 0 ? null : setTimeout(() => void this.look(), CHANGE_TAIL_LOOK_MS).unref();
  }
}
