/*
 * A move to another database by logical replication: rows arrive, sequences stay at their start.
 *
 *   npm run build && node test/places/logical-replica.mjs
 *
 * Ends with 0 if the service on the new database takes every delivery, gives no number twice, and keeps what the old
 * one stored.
 */
import { execFileSync } from 'node:child_process';
import { addAccount, addressOf, freePort, initialise, place, psql, serve, startService, until } from './support.mjs';

const DELIVERIES = 40;

await place(async () => {
  const port = await freePort();
  initialise('server');
  await serve('server', port, { wal_level: 'logical' });
  for (const name of ['old', 'fresh']) psql(port, `CREATE DATABASE ${name}`, 'postgres');
  const numbers = (database) =>
    psql(port, 'SELECT number FROM changes ORDER BY number', database).split('\n').filter(Boolean).map(Number);
  const use = async (database, name) => {
    const service = await startService(addressOf(port, database));
    addAccount(port, name, database);
    const statuses = [];
    for (let index = 0; index < DELIVERIES; index += 1) statuses.push(await service.deliver());
    for (let index = 0; index < 10; index += 1) {
      await service.call('POST', `/admin/v1/accounts/${name}/${index % 2 ? 'unblock' : 'block'}`);
    }
    const ready = (await fetch(`${service.url}/readyz`)).status;
    return { service, ready, taken: statuses.filter((status) => status === 204).length };
  };

  const before = await use('old', 'anna');
  await until('the feed has the changes', () => numbers('old').length >= 10);
  const stopped = new Promise((resolve) => before.service.child.once('exit', resolve));
  before.service.child.kill('SIGTERM');
  await stopped;
  const dump = execFileSync('pg_dump', ['--schema-only', '-d', addressOf(port, 'old')]);
  execFileSync('psql', ['-Xq', '-v', 'ON_ERROR_STOP=1', '-d', addressOf(port, 'fresh')], {
    input: dump,
    stdio: 'pipe',
  });
  psql(port, 'CREATE PUBLICATION move FOR ALL TABLES', 'old');
  psql(port, `SELECT pg_create_logical_replication_slot('move', 'pgoutput')`, 'old');
  const source = `host=127.0.0.1 port=${port} user=postgres dbname=old`;
  psql(
    port,
    `CREATE SUBSCRIPTION move CONNECTION '${source}' PUBLICATION move WITH (create_slot = false, slot_name = 'move')`,
    'fresh',
  );
  const count = (database) => psql(port, 'SELECT COUNT(*) FROM messages', database);
  await until(
    'every table is copied',
    () =>
      psql(port, `SELECT COUNT(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'`, 'fresh') === '0' &&
      count('fresh') === count('old'),
  );
  psql(port, 'ALTER SUBSCRIPTION move DISABLE', 'fresh');
  psql(port, 'ALTER SUBSCRIPTION move SET (slot_name = NONE)', 'fresh');
  psql(port, 'DROP SUBSCRIPTION move', 'fresh');

  const old = numbers('old');
  const after = await use('fresh', 'ben');
  await until('the feed continues', () => numbers('fresh').length >= old.length + 10);
  const all = numbers('fresh');
  const figures = {
    taken: [before.taken, after.taken],
    stored: [count('old'), count('fresh')].map(Number),
    ready: after.ready,
    numbers: [old.length, all.length, new Set(all).size],
  };
  const kept = old.every((number) => all.includes(number));
  if (!kept || after.taken !== DELIVERIES || figures.stored[1] !== 2 * DELIVERIES || new Set(all).size !== all.length) {
    throw new Error(JSON.stringify(figures));
  }
  return figures;
});
