import { currentTrace, nextTraceparent, traceOf, withinTrace } from './trace.js';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([`00-${id}-${span}-01`, `01-${id}-${span}-01-more`])('is read: %s', (header) => {
    expect(traceOf(header)).toEqual({ traceId: id, spanId: span, flags: '01' });
  });

  it.each([
    undefined,
    '',
    [`00-${id}-${span}-01`],
    `ff-${id}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-${span}-01`,
    `00-${id}-${span}`,
    `00-${id}-${span}-01-${'x'.repeat(300)}`,
    'sk_us_key',
  ])('is ignored if it is malformed: %j', (header) => {
    expect(traceOf(header)).toBeNull();
  });

  it('continues as another step of the same trace', () => {
    const trace = { traceId: id, flags: '00' };
    expect(nextTraceparent(trace)).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    expect(nextTraceparent(trace)).not.toBe(nextTraceparent(trace));
  });

  it('is visible to work that is started within it, and to nothing else', async () => {
    const trace = { traceId: id, flags: '01' };
    const seen = withinTrace(trace, async () => {
      await Promise.resolve();
      return currentTrace();
    });
    expect(currentTrace()).toBeUndefined();
    expect(await seen).toEqual(trace);
  });
});
