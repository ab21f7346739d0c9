import { recentlyUsed } from './recently-used.js';

const MOST_REFS = 20_000;

interface Named {
  readonly id: number;
  readonly log_ref: string | null;
}

/**
 * What lines of the log call an account: its `log_ref`, which ends with the account, in place of its number, which
 * receipts of erasures and the access log keep. Known of the accounts this process has read last.
 */
export class AccountRefs {
  private readonly refs = recentlyUsed<number, string>(MOST_REFS);

  /** To be told of every account that is read. */
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
