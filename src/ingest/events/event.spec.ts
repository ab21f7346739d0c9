import fc from 'fast-check';
import { catalogue } from '../../health/catalogue/catalogue.js';
import { readEnvelope, readEventType } from './event.js';

const read = (content: unknown) => readEnvelope(Buffer.from(JSON.stringify(content)));

describe('readEnvelope', () => {
  it('reads the type and ids of the event', () => {
    const content = { event_type: 'a.b', data: [1], user_id: 'u', client_user_id: 'c', team_id: 't', extra: 1 };
    const envelope = { eventType: 'a.b', data: [1], userId: 'u', clientUserId: 'c', teamId: 't', isMismatched: false };
    expect(read(content)).toEqual({ kind: 'event', envelope });
  });

  it('looks in the data for ids that the envelope lacks [webhooks#envelope]', () => {
    const content = { event_type: 'a.b', data: { user_id: 'u', team_id: 't' }, user_id: null };
    expect(read(content)).toMatchObject({ envelope: { userId: 'u', clientUserId: null, teamId: 't' } });
  });

  it.each([7, null, '', 'two words', 'a\u0000b', 'x'.repeat(129), ['a']])(
    'does not accept %j as an event type',
    (event_type) => {
      expect(read({ event_type })).toEqual({ kind: 'ignore', reason: 'no_event_type' });
    },
  );

  it.each([null, 1, 'text', [], true])('does not read %j as an event', (content) => {
    expect(read(content)).toEqual({ kind: 'ignore', reason: 'no_event_type' });
  });

  it.each(['', '{', 'NaN', '{"a":1}x'])('does not accept %j as JSON', (text) => {
    expect(readEnvelope(Buffer.from(text))).toEqual({ kind: 'ignore', reason: 'not_json' });
  });

  it('does not accept bytes that are not UTF-8 as JSON', () => {
    const bytes = Buffer.concat([Buffer.from('{"event_type":"a'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(readEnvelope(bytes)).toEqual({ kind: 'ignore', reason: 'not_json' });
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

describe('readEventType', () => {
  it.each([
    ['daily.data.sleep.created', 'data', 'sleep'],
    ['daily.data.blood_pressure.updated', 'data', 'blood_pressure'],
    ['historical.data.sleep.created', 'history', 'sleep'],
    ['provider.connection.created', 'connection_created', 'connection'],
    ['provider.connection.error', 'connection_error', 'connection'],
    ['provider.device.created', 'device', 'device'],
    ['provider.device.updated', 'device', 'device'],
    ['labtest.order.created', 'order', 'order'],
    ['labtest.order.updated', 'order', 'order'],
    ['labtest.appointment.updated', 'appointment', 'appointment'],
    ['labtest.result.critical', 'critical_result', 'result'],
  ])('%s belongs to %s', (eventType, family, resource) => {
    expect(readEventType(eventType)).toEqual({ family, resource });
  });

  it.each([
    '',
    '.',
    '...',
    'daily.data.sleep.deleted',
    'daily.data.created',
    'data.sleep.created',
    'daily.data.sleep.extra.created',
    'historical.data.sleep.updated',
    'provider.connection.paused',
    'labtest.result.normal',
    'message.attempt.exhausted',
    'constructor.prototype.created',
  ])('%j belongs to no known family [webhooks#exhausted-messages]', (eventType) => {
    expect(readEventType(eventType).family).toBe('other');
  });

  it('reads every event name of the catalogue [webhooks#names-of-event-types]', () => {
    for (const { eventName } of catalogue) {
      if (eventName === null) continue;
      expect(readEventType(`daily.data.${eventName}.created`)).toEqual({ family: 'data', resource: eventName });
    }
  });
});
