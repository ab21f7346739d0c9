import { catalogue } from '../catalogue/catalogue.js';
import { readEventType } from './event-type.js';

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
    'labtest.match_review.created',
    'message.attempt.exhausted',
    'constructor.prototype.created',
  ])('%j belongs to no family known here', (eventType) => {
    expect(readEventType(eventType).family).toBe('other');
  });

  it('reads every event name of the catalogue', () => {
    for (const { eventName } of catalogue) {
      if (eventName === null) continue;
      expect(readEventType(`daily.data.${eventName}.created`)).toEqual({ family: 'data', resource: eventName });
    }
  });
});
