import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { formatTime, SECOND } from '../engine/times.js';
import type { World } from '../world.js';
import { refusal } from './control-error.js';
import { bodies } from './control-schemas.js';

const POLL_MS = 5;
const DEFAULT_TIMEOUT_SECONDS = 30;

function timeWire({ timeline }: World): Record<string, unknown> {
  const mode = timeline.manual ? 'manual' : 'auto';
  return { now: formatTime(timeline.now()), mode, scale: timeline.scale };
}

async function move(world: World, body: { now?: string; advance_seconds?: number }): Promise<Record<string, unknown>> {
  const { timeline } = world;
  const target = body.now === undefined ? timeline.now() : Date.parse(body.now);
  if (Number.isNaN(target)) throw refusal(400, 'now is not a time');
  const ran = await timeline.moveTo(target + (body.advance_seconds ?? 0) * SECOND);
  return { now: formatTime(timeline.now()), ran };
}

function state(world: World, settled: boolean): Record<string, unknown> {
  const { next_due_at: next, ...counts } = world.timeline.counts();
  return {
    settled,
    ...counts,
    next_due_at: next === null ? null : formatTime(next),
    failed_tasks: world.timeline.failedTasks,
    messages: world.outbox.counts(),
    answered: world.outbox.answered,
    pulls: world.pulls.counts(),
  };
}

async function settle(
  world: World,
  body: { within_seconds?: number; timeout_seconds?: number } | null,
): Promise<Record<string, unknown>> {
  const { timeline } = world;
  const deadline = Date.now() + (body?.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * SECOND;
  const horizon = timeline.manual ? 0 : (body?.within_seconds ?? 0) * SECOND;
  await timeline.runDue();
  while (timeline.counts().in_flight > 0 || timeline.dueBy(timeline.now() + horizon) > 0) {
    if (Date.now() > deadline) return state(world, false);
    await wait(POLL_MS);
  }
  return state(world, true);
}

/** Clock, settling and settings. */
export function installTimeControl(app: FastifyInstance, world: World): void {
  app.get('/control/time', () => timeWire(world));
  app.post('/control/time', { schema: { body: bodies.time } }, (request) =>
    move(world, request.body as { now?: string; advance_seconds?: number }),
  );
  app.post('/control/settle', { schema: { body: bodies.settle } }, (request) =>
    settle(world, request.body as Parameters<typeof settle>[1]),
  );
  app.get('/control/settle', () => {
    const { in_flight, due } = world.timeline.counts();
    return state(world, in_flight + due === 0);
  });
  app.get('/control/settings', () => world.settings);
  app.post('/control/settings', { schema: { body: bodies.settings } }, (request) =>
    Object.assign(world.settings, request.body),
  );
}
