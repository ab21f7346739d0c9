/*
 * The only synchronous standby of a primary goes away, so every commit waits until an operator acts.
 *
 *   npm run build && node test/places/stalled-standby.mjs
 *
 * Ends with 0 if no delivery is acknowledged meanwhile that is not stored, the service keeps to the sessions that
 * docs/scaling.md counts, others can connect, and deliveries are taken again within a minute of the standby's return.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf, freePort, initialise, place, psql, serve, startService, until } from './support.mjs';

const seconds = Number(process.env.SECONDS ?? 90);
/** The pool of one process, and what it opens beside its pool to cancel what waits. */
const MAX_SESSIONS = 24;

await place(async () => {
  const port = await freePort();
  initialise('primary');
  await serve('primary', port, { max_connections: 40 });
  psql(port, 'CREATE ROLE svc LOGIN', 'postgres');
  psql(port, 'CREATE DATABASE p OWNER svc', 'postgres');
  const service = await startService(addressOf(port, 'p', 'svc'));
  const sessions = () => Number(psql(port, `SELECT COUNT(*) FROM pg_stat_activity WHERE usename = 'svc'`, 'postgres'));
  const standby = (name) => {
    psql(port, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`, 'postgres');
    psql(port, 'SELECT pg_reload_conf()', 'postgres');
  };

  const acknowledged = [];
  const answers = {};
  let count = 0;
  const deliver = async () => {
    const id = `msg_${(count += 1)}`;
    const status = await service.deliver(id).catch(() => 'none');
    answers[status] = (answers[status] ?? 0) + 1;
    if (status === 204) acknowledged.push(id);
    return status;
  };
  for (let index = 0; index < 20; index += 1) await deliver();
  if (answers[204] !== 20) throw new Error(`Before: ${JSON.stringify(answers)}`);

  standby('FIRST 1 (gone)');
  const end = Date.now() + seconds * 1_000;
  const course = [];
  const load = Array.from({ length: 4 }, async () => {
    while (Date.now() < end) {
      await deliver();
      await pause(500);
    }
  });
  while (Date.now() < end) {
    await pause(10_000);
    course.push(sessions());
  }
  await Promise.all(load);
  standby('');
  const since = Date.now();
  await until('a delivery is taken again', async () => (await deliver()) === 204);
  const backMs = Date.now() - since;
  const stored = new Set(psql(port, 'SELECT message_id FROM messages').split('\n'));
  const lost = acknowledged.filter((id) => !stored.has(id)).length;
  const figures = { sessions: course, answers, acknowledged: acknowledged.length, lost, backMs };
  if (lost > 0 || Math.max(...course) > MAX_SESSIONS) throw new Error(JSON.stringify(figures));
  return figures;
});
