import { eventsIn } from './event-stream.js';

describe('eventsIn', () => {
  it('reads complete events and leaves an incomplete one', () => {
    const text = 'retry: 2000\n\nevent: change\nid: a-1\ndata: {"kind":"alarm"}\n\nevent: heartbeat\nid: a-2\nda';
    expect(eventsIn(text)).toEqual({
      events: [{ event: 'change', id: 'a-1', data: '{"kind":"alarm"}' }],
      rest: 'event: heartbeat\nid: a-2\nda',
    });
  });

  it('joins lines of data and accepts other line ends', () => {
    expect(eventsIn('data: a\r\ndata: b\r\n\r\n').events).toEqual([{ event: 'message', id: undefined, data: 'a\nb' }]);
  });

  it('finds nothing in nothing', () => {
    expect(eventsIn('')).toEqual({ events: [], rest: '' });
  });
});
