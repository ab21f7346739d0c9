import { alarmActions } from '../../operations/alarms/alarm-actions.js';
import { alarmList } from '../../operations/alarms/alarm-list.js';
import { type AlarmMessage, alarmBody } from './alarm-message.js';
import type { AlarmPayload } from './subscription.entity.js';

const link = 'https://health.example/console';
const over: AlarmMessage = {
  ...{ key: 'one/push_failing', code: 'push_failing', severity: 'warning', isOver: true },
  ...{ summary: 'Nothing arrives.', text: 'It is over.', link, routingKey: 'r'.repeat(32) },
};
const bodyOf = (payload: AlarmPayload, more: Partial<AlarmMessage> = {}): unknown =>
  JSON.parse(alarmBody(payload, { ...over, ...more }));

describe('a message about an alarm', () => {
  it('links the console', () => {
    expect(bodyOf('text')).toEqual({ text: 'It is over. https://health.example/console' });
    expect(bodyOf('teams')).toMatchObject({
      attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', url: link }] } }],
    });
  });

  it('has no link while the address of the console is unknown', () => {
    expect(bodyOf('text', { link: null })).toEqual({ text: 'It is over.' });
    expect(bodyOf('teams', { link: null })).toMatchObject({ attachments: [{ content: { actions: [] } }] });
    const event = bodyOf('pagerduty', { isOver: false, link: null }) as Record<string, unknown>;
    expect([event['links'], event['client_url']]).toEqual([undefined, undefined]);
    expect(event).toMatchObject({ payload: { source: 'pulsekeep' } });
  });

  it('opens an incident of PagerDuty and resolves the same one', () => {
    const same = { routing_key: 'r'.repeat(32), dedup_key: 'one/push_failing' };
    expect(bodyOf('pagerduty', { isOver: false, text: 'It is raised.' })).toEqual({
      ...same,
      event_action: 'trigger',
      payload: {
        ...{ summary: 'Nothing arrives.', source: 'health.example', severity: 'warning' },
        ...{ component: 'pulsekeep', class: 'push_failing', custom_details: { text: 'It is raised.' } },
      },
      ...{ client: 'Pulsekeep', client_url: link, links: [{ href: link, text: 'Open the console' }] },
    });
    expect(bodyOf('pagerduty')).toEqual({ ...same, event_action: 'resolve' });
  });

  it.each(Object.entries(alarmList))('of %s fits the 1,024 characters of a summary of PagerDuty', (code, alarm) => {
    expect(alarm.message.length).toBeLessThanOrEqual(1_024);
    expect(alarmActions[code as keyof typeof alarmActions].action).not.toBe('');
  });
});
