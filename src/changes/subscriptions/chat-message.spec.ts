import { chatBody } from './chat-message.js';

describe('a message to a chat', () => {
  it('links the console', () => {
    const message = { text: 'It is over.', link: 'https://health.example/console' };
    expect(JSON.parse(chatBody('text', message))).toEqual({ text: 'It is over. https://health.example/console' });
    expect(JSON.parse(chatBody('teams', message))).toMatchObject({
      attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', url: 'https://health.example/console' }] } }],
    });
  });

  it('has no link while the address of the console is unknown', () => {
    expect(chatBody('text', { text: 'It is over.', link: null })).toBe('{"text":"It is over."}');
    expect(JSON.parse(chatBody('teams', { text: 'It is over.', link: null }))).toMatchObject({
      attachments: [{ content: { actions: [] } }],
    });
  });
});
