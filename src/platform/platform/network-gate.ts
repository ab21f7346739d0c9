import { AppError } from './errors.js';

/**
 * Keeps network calls out of write transactions: a slow peer must never hold the write lane. The database layer says
 * when one is open, the upstream client asks before every call.
 */
export class NetworkGate {
  private readonly conditions: (() => boolean)[] = [];

  /** Closes the gate for as long as `inside` answers true in the caller's own asynchronous context. */
  closeWhen(inside: () => boolean): void {
    this.conditions.push(inside);
  }

  /** Throws `lane_refused` when a write transaction is open. `what` names the call, never its arguments. */
  assertOpen(what: string): void {
    if (this.conditions.some((inside) => inside())) {
      throw new AppError('lane_refused', `${what} must not run inside a write transaction`);
    }
  }
}
