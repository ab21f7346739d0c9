import { CallerTurns } from '../../platform/platform/caller-turns.js';
import { storageUnavailable } from './dialect.js';
import { limits } from './limits.js';

/** Lets as many reads or writes run as there are connections; the others wait, and callers take turns. */
export class ConnectionTurns {
  private readonly waiting = new CallerTurns<() => void>();

  constructor(private free: number) {}

  /** Throws `storage_unavailable` if no connection becomes free in time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.take();
      if (next) next();
      else this.free += 1;
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.remove(begin);
        reject(storageUnavailable(Object.assign(new Error('No connection became free.'), { code: 'ETIMEDOUT' })));
      }, limits.connect).unref();
      this.waiting.add(begin);
    });
  }
}
