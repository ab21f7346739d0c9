interface Waiter {
  readonly bytes: number;
  readonly begin: () => void;
}

/** A shared number of bytes. A request that does not fit waits in turn; a single request always fits. */
export class ByteBudget {
  private used = 0;
  private readonly waiters: Waiter[] = [];

  constructor(
    private readonly bytes: number,
    private readonly waitMs: number,
  ) {}

  /** Takes bytes in turn and returns a function that gives them back; null after waiting too long. */
  take(bytes: number): Promise<(() => void) | null> {
    if (this.waiters.length === 0 && this.fits(bytes)) return Promise.resolve(this.begin(bytes));
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        resolve(null);
        this.admit();
      }, this.waitMs);
      const waiter: Waiter = {
        bytes,
        begin: () => {
          clearTimeout(timer);
          resolve(this.begin(bytes));
        },
      };
      this.waiters.push(waiter);
    });
  }

  private fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.bytes;
  }

  private begin(bytes: number): () => void {
    this.used += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.used -= bytes;
      this.admit();
    };
  }

  private admit(): void {
    for (let next = this.waiters[0]; next && this.fits(next.bytes); next = this.waiters[0]) {
      this.waiters.shift();
      next.begin();
    }
  }
}
