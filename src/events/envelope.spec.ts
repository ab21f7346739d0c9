import fc from 'fast-check';
import { readEnvelope } from './envelope.js';

const read = (content: unknown) => readEnvelope(Buffer.from(JSON.stringify(content)));

describe('readEnvelope', () => {
  it('reads what the event says about itself', () => {
    const content = { event_type: 'a.b', data: [1], user_id: 'u', client_user_id: 'c', team_id: 't', extra: 1 };
    const envelope = { eventType: 'a.b', data: [1], userId: 'u', clientUserId: 'c', teamId: 't' };
    expect(read(content)).toEqual({ envelope });
  });

  it('looks into the data for ids the envelope lacks', () => {
    const content = { event_type: 'a.b', data: { user_id: 'u', team_id: 't' }, user_id: null };
    expect(read(content)).toMatchObject({ envelope: { userId: 'u', clientUserId: null, teamId: 't' } });
  });

  it.each([7, null, '', 'two words', 'a\u0000b', 'x'.repeat(129), ['a']])(
    'takes %j for no event type',
    (event_type) => {
      expect(read({ event_type })).toEqual({ unreadable: 'no_event_type' });
    },
  );

  it.each([null, 1, 'text', [], true])('takes %j for no event', (content) => {
    expect(read(content)).toEqual({ unreadable: 'no_event_type' });
  });

  it.each(['', '{', 'NaN', '{"a":1}x'])('takes %j for no JSON', (text) => {
    expect(readEnvelope(Buffer.from(text))).toEqual({ unreadable: 'not_json' });
  });

  it('takes bytes that are not UTF-8 for no JSON, rather than for other text', () => {
    const bytes = Buffer.concat([Buffer.from('{"event_type":"a'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(readEnvelope(bytes)).toEqual({ unreadable: 'not_json' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          readEnvelope(Buffer.from(bytes));
        },
      ),
    );
  });
});
