import { CallBudget, type Turn } from './budget.js';

/*
 * One budget for two threads of a process: the thread that has it lends turns, the other asks for each.
 *
 *   borrower: asked --granted--> call --over--> (none)       lender: asked --turn comes--> granted --over--> given back
 *             asked --caller leaves--> over                          asked --over--> no longer waits
 */

/** From the thread that borrows. `n`: a number of its own for each turn. */
export type BorrowerMessage =
  | { readonly kind: 'turn-asked'; readonly n: number; readonly turn: Turn }
  | { readonly kind: 'turn-over'; readonly n: number };

/** From the thread that lends. */
export interface LenderMessage {
  readonly kind: 'turn-granted';
  readonly n: number;
}

/** Gives turns of a budget to another thread. */
export class BudgetLender {
  private readonly lent = new Map<number, () => void>();

  constructor(
    private readonly budget: CallBudget,
    private readonly send: (message: LenderMessage) => void,
  ) {}

  receive(message: BorrowerMessage): void {
    if (message.kind === 'turn-asked') this.lend(message.n, message.turn);
    else this.lent.get(message.n)?.();
  }

  /** The turn lasts until the borrower says that it is over, also when it has never come. */
  private lend(n: number, turn: Turn): void {
    const left = new AbortController();
    const over = new Promise<void>((resolve) => {
      this.lent.set(n, () => {
        this.lent.delete(n);
        left.abort();
        resolve();
      });
    });
    const granted = (): Promise<void> => {
      this.send({ kind: 'turn-granted', n });
      return over;
    };
    this.budget.run(turn, left.signal, granted).catch(() => undefined);
  }
}

/** The budget as the other thread sees it. */
export class BorrowedBudget extends CallBudget {
  private readonly asked = new Map<number, () => void>();
  private last = 0;

  constructor(private readonly send: (message: BorrowerMessage) => void) {
    super();
  }

  receive({ n }: LenderMessage): void {
    this.asked.get(n)?.();
  }

  async run<T>({ priority, account }: Turn, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const n = ++this.last;
    this.send({ kind: 'turn-asked', n, turn: { priority, account } });
    try {
      await this.granted(n, signal);
      return await task();
    } finally {
      this.send({ kind: 'turn-over', n });
    }
  }

  /** The lender counts them. */
  waiting(): number {
    return 0;
  }

  private async granted(n: number, signal: AbortSignal): Promise<void> {
    let giveUp = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        giveUp = () => reject(signal.reason as Error);
        this.asked.set(n, resolve);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    } finally {
      this.asked.delete(n);
      signal.removeEventListener('abort', giveUp);
    }
  }
}
