import { recentlyUsed } from './recently-used.js';

const MAX_REFS = 20_000;

interface Named {
  readonly id: number;
  readonly log_ref: string | null;
}

/**
 * Names of accounts in log lines: the `log_ref`, which is deleted with the account, instead of the number, which
 * erasure receipts and the access log keep. Caches the most recently read accounts.
 */
export class AccountRefs {
  private readonly refs = recentlyUsed<number, string>(MAX_REFS);

  /** Call this for every account that is read. */
  remember({ id, log_ref }: Named): void {
    if (log_ref === null) this.refs.delete(id);
    else this.refs.set(id, log_ref);
  }

  forget(id: number): void {
    this.refs.delete(id);
  }

  of(id: unknown): string | undefined {
    return typeof id === 'number' ? this.refs.get(id) : undefined;
  }
}
