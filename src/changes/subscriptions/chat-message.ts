import type { ChatPayload } from './subscription.entity.js';

export interface ChatMessage {
  readonly text: string;
  /** Where to act; null if the address of the console is not configured. */
  readonly link: string | null;
}

/** Slack, Mattermost and Google Chat take `text`, Workflows of Microsoft Teams only adaptive cards. */
const forms: Readonly<Record<ChatPayload, (message: ChatMessage) => object>> = {
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
};

/** The body of a push to a chat, as JSON. */
export function chatBody(payload: ChatPayload, message: ChatMessage): string {
  return JSON.stringify(forms[payload](message));
}
