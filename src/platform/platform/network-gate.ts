import { AppError } from './errors.js';

/**
 * Keeps network calls out of write transactions, because a slow peer must never hold the write lane. The database layer
 * reports an open transaction, and the upstream client checks before every call.
 */
export class NetworkGate {
  private readonly conditions: (() => boolean)[] = [];

  /** Closes the gate while `inside` returns true in the caller's asynchronous context. */
  closeWhen(inside: () => boolean): void {
    this.conditions.push(inside);
  }

  /** Throws `lane_refused` if a write transaction is open. `what` names the call, never its arguments. */
  assertOpen(what: string): void {
    if (this.conditions.some((inside) => inside())) {
      throw new AppError('lane_refused', `${what} must not run inside a write transaction`);
    }
  }
}
