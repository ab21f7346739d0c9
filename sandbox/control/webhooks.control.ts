import type { FastifyInstance } from 'fastify';
import type { EndpointOptions } from '../webhooks/endpoint.js';
import type { Message } from '../webhooks/outbox.js';
import { type World, webhookSecretOf } from '../world.js';
import { refusal } from './control-error.js';
import { bodies } from './control-schemas.js';

function stateOf({ outbox, timeline }: World): Record<string, unknown> {
  return { ...outbox.options, secrets: outbox.secrets.valid(timeline.now()) };
}

function configure(world: World, body: Partial<EndpointOptions> & { secrets?: string[] }): Record<string, unknown> {
  const { secrets, ...options } = body;
  Object.assign(world.outbox.options, options);
  if (secrets !== undefined) world.outbox.secrets.replace(secrets);
  if (!world.outbox.isOff) world.outbox.release();
  return stateOf(world);
}

function replay(world: World, body: { message_id?: string; since?: string }): Record<string, unknown> {
  const chosen =
    body.message_id === undefined
      ? world.outbox
          .list()
          .filter(
            ({ state, created_at }) => state !== 'delivered' && Date.parse(created_at) >= Date.parse(body.since ?? ''),
          )
      : [world.outbox.find(body.message_id)];
  const messages = chosen.filter((message) => message !== undefined);
  if (body.message_id !== undefined && messages.length === 0) throw refusal(404, 'no such message');
  for (const message of messages) world.outbox.replay(message);
  return { message_ids: messages.map(({ id }) => id) };
}

interface SendBody {
  event_type?: string;
  user_id?: string | null;
  data?: unknown;
  envelope?: boolean;
  raw?: string;
}

function send(world: World, body: SendBody): Message {
  const { event_type: eventType = 'unknown', user_id: userId = null, data = {} } = body;
  if (body.raw !== undefined) return world.events.emitRaw(eventType, userId, body.raw);
  if (body.envelope === false) return world.events.emitRaw(eventType, userId, JSON.stringify(data));
  const user = userId === null ? undefined : world.users.find(userId);
  const about = userId === null ? {} : { user_id: userId, client_user_id: user?.client_user_id ?? 'unknown' };
  const envelope = { event_type: eventType, data, ...about, team_id: world.teamId };
  return world.events.emitRaw(eventType, userId, JSON.stringify(envelope));
}

function withoutBody({ body: _body, ...rest }: Message): Omit<Message, 'body'> {
  return rest;
}

/** The customer's endpoint, its secrets, and the messages sent to it. */
export function installWebhookControl(app: FastifyInstance, world: World): void {
  const { outbox } = world;
  app.get('/control/webhooks', () => stateOf(world));
  app.post('/control/webhooks', { schema: { body: bodies.webhooks } }, (request) =>
    configure(world, request.body as Partial<EndpointOptions>),
  );
  app.post('/control/webhooks/rotate', { schema: { body: bodies.rotate } }, (request) => {
    const given = (request.body as { secret?: string } | null)?.secret;
    const secret = given ?? webhookSecretOf(world.ids.seed, world.ids.integer('secret'));
    outbox.secrets.rotate(secret, world.timeline.now());
    return { secret };
  });
  app.post('/control/webhooks/replay', { schema: { body: bodies.replay } }, (request) =>
    replay(world, request.body as { message_id?: string }),
  );
  app.post('/control/webhooks/send', { schema: { body: bodies.send } }, (request) => ({
    message_id: send(world, request.body as SendBody).id,
  }));
  app.get('/control/webhooks/messages', (request) => {
    const filter = request.query as Partial<Record<'event_type' | 'state' | 'user_id' | 'from' | 'limit', string>>;
    const from = Number(filter.from ?? 0);
    const limit = Number(filter.limit ?? Infinity);
    const wanted = (message: Message): boolean =>
      message.number >= from &&
      (filter.event_type === undefined || message.event_type === filter.event_type) &&
      (filter.state === undefined || message.state === filter.state) &&
      (filter.user_id === undefined || message.user_id === filter.user_id);
    return { messages: outbox.list().filter(wanted).slice(0, limit).map(withoutBody) };
  });
  app.get('/control/webhooks/messages/:id', (request) => {
    const message = outbox.find((request.params as { id: string }).id);
    if (message === undefined) throw refusal(404, 'no such message');
    return message;
  });
}
