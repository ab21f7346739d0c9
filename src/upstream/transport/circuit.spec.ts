import { FakeClock } from '../../../test/support/fake-clock.js';
import { Circuit, CircuitOpen, type CircuitStateName } from './circuit.js';

const up = async () => ({ down: false });
const down = async () => ({ down: true });
const gone = async (): Promise<never> => {
  throw new Error('caller went away');
};

function setUp() {
  const clock = new FakeClock(1_000_000);
  const seen: CircuitStateName[] = [];
  const circuit = new Circuit({ failures: 3, openMs: 1_000, maxOpenMs: 3_000 }, clock, (state) => seen.push(state));
  const fail = async (times: number) => {
    for (let i = 0; i < times; i++) await circuit.run(down);
  };
  return { circuit, clock, seen, fail };
}

describe('Circuit', () => {
  it('opens after a number of consecutive failures, then fails immediately', async () => {
    const { circuit, fail, seen } = setUp();
    await fail(2);
    expect(circuit.state).toBe('closed');
    await fail(1);
    expect(circuit.state).toBe('open');
    expect(() => circuit.assertMayTry()).toThrow(CircuitOpen);
    await expect(circuit.run(up)).rejects.toMatchObject({ retryAfterMs: expect.closeTo(1_000) });
    expect(seen).toEqual(['open']);
  });

  it('restarts the count after any response', async () => {
    const { circuit, fail } = setUp();
    await fail(2);
    await circuit.run(up);
    await fail(2);
    expect(circuit.state).toBe('closed');
  });

  it('ignores attempts that we ended ourselves', async () => {
    const { circuit, fail } = setUp();
    await fail(2);
    for (let i = 0; i < 10; i++) await expect(circuit.run(gone)).rejects.toThrow('caller went away');
    expect(circuit.state).toBe('closed');
    await fail(1);
    expect(circuit.state).toBe('open');
  });

  it('admits one probe after the pause and fails all other calls until it ends', async () => {
    const { circuit, clock, fail, seen } = setUp();
    await fail(3);
    clock.advance(1_000);
    let answer: (verdict: { down: boolean }) => void = () => undefined;
    const probe = circuit.run(() => new Promise<{ down: boolean }>((resolve) => (answer = resolve)));
    expect(circuit.state).toBe('half_open');
    await expect(circuit.run(up)).rejects.toThrow(CircuitOpen);
    answer({ down: false });
    await probe;
    expect(circuit.state).toBe('closed');
    expect(seen).toEqual(['open', 'half_open', 'closed']);
  });

  it('pauses twice as long after each failed probe, up to the limit', async () => {
    const { circuit, clock, fail } = setUp();
    await fail(3);
    for (const pause of [1_000, 2_000, 3_000, 3_000]) {
      clock.advance(pause - 1);
      await expect(circuit.run(down)).rejects.toMatchObject({ retryAfterMs: expect.closeTo(1) });
      clock.advance(1);
      await fail(1);
    }
  });

  it('closes after a probe whose caller left, and opens again at the next failure', async () => {
    const { circuit, clock, fail } = setUp();
    await fail(3);
    clock.advance(1_000);
    await expect(circuit.run(gone)).rejects.toThrow('caller went away');
    expect(circuit.state).toBe('closed');
    await fail(1);
    expect(circuit.state).toBe('open');
  });
});
