import type { AlarmPayload } from './subscription.entity.js';

/** What a person is told about an alarm. */
export interface AlarmMessage {
  /** Identifies the alarm among those of all deployments: a later message about it has the same. */
  readonly key: string;
  readonly code: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly isOver: boolean;
  /** What happened. */
  readonly summary: string;
  /** The same in the sentences of a chat, with what to do. */
  readonly text: string;
  /** Where to act; null if the address of the console is not configured. */
  readonly link: string | null;
  /** Of PagerDuty; empty for other receivers. */
  readonly routingKey: string;
}

/**
 * Slack, Mattermost and Google Chat take `text`, Workflows of Microsoft Teams only adaptive cards, PagerDuty events of
 * its Events API v2.
 */
const forms: Readonly<Record<AlarmPayload, (message: AlarmMessage) => object>> = {
  text: ({ text, link }) => ({ text: link === null ? text : `${text} ${link}` }),
  teams: ({ text, link }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text, wrap: true }],
          actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open the console', url: link }],
        },
      },
    ],
  }),
  pagerduty: ({ key, code, severity, isOver, summary, text, link, routingKey }) => ({
    routing_key: routingKey,
    event_action: isOver ? 'resolve' : 'trigger',
    dedup_key: key,
    ...(!isOver && {
      payload: {
        summary,
        source: link === null ? 'pulsekeep' : new URL(link).host,
        severity,
        component: 'pulsekeep',
        class: code,
        custom_details: { text },
      },
      client: 'Pulsekeep',
      ...(link !== null && { client_url: link, links: [{ href: link, text: 'Open the console' }] }),
    }),
  }),
};

/** The body of a push about an alarm, as JSON. */
export function alarmBody(payload: AlarmPayload, message: AlarmMessage): string {
  return JSON.stringify(forms[payload](message));
}
