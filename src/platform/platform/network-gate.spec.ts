import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.js';
import { NetworkGate } from './network-gate.js';

describe('NetworkGate', () => {
  it('is open when nothing closes it', () => {
    expect(() => new NetworkGate().assertOpen('GET /things')).not.toThrow();
  });

  it('refuses a call inside a write transaction and allows it again afterwards', () => {
    const transaction = new AsyncLocalStorage<string>();
    const gate = new NetworkGate();
    gate.closeWhen(() => transaction.getStore() !== undefined);
    const refusal = transaction.run('tx', () => {
      try {
        gate.assertOpen('GET /things');
      } catch (error) {
        return error;
      }
      return undefined;
    });
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({
      code: 'lane_refused',
      message: 'GET /things must not run inside a write transaction',
    });
    expect(() => gate.assertOpen('GET /things')).not.toThrow();
  });

  it('is closed when any one condition holds', () => {
    const gate = new NetworkGate();
    gate.closeWhen(() => false);
    gate.closeWhen(() => true);
    expect(() => gate.assertOpen('GET /things')).toThrow(AppError);
  });
});
