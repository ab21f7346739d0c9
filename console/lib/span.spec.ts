import { fromLocalInput, keepingSpan, toLocalInput } from './span.js';

describe('a chosen time', () => {
  it('alone is kept when another view is opened', () => {
    const search = '?from=2026-11-03T07:00:00Z&status=dead&to=2026-11-03T09:00:00Z';
    expect(keepingSpan('/messages', search)).toBe(
      '/messages?from=2026-11-03T07%3A00%3A00Z&to=2026-11-03T09%3A00%3A00Z',
    );
    expect(keepingSpan('/messages', '?from=yesterday')).toBe('/messages');
  });

  it('is typed in the zone of the browser, and is the same instant when it is shown again', () => {
    const at = fromLocalInput('2026-07-01T09:30');
    expect(at).toBe(new Date('2026-07-01T09:30').toISOString());
    expect(toLocalInput(at)).toBe('2026-07-01T09:30');
    expect([fromLocalInput(''), toLocalInput(undefined)]).toEqual([undefined, '']);
  });
});
