/*
 * A standby that lags is promoted under a running service. Two servers of its own, which CI does not have.
 *
 *   npm run build && node test/places/promotion.mjs
 *
 * Ends with 0 if the change feed restarts under another id before a number is given twice, the alarm is raised, and a
 * person who was erased after the state of the standby is deleted again by the erasure journal.
 */
import net from 'node:net';
import { join } from 'node:path';
import {
  addAccount,
  addressOf,
  asServer,
  folder,
  freePort,
  initialise,
  place,
  psql,
  serve,
  startService,
  until,
} from './support.mjs';

const standby = { hot_standby: 'on' };

/** The address of the database: connections go to whichever server is current, as through a virtual address. */
function startSwitch(target) {
  const sockets = new Set();
  const state = { target };
  const server = net.createServer((client) => {
    const upstream = net.connect(state.target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => (sockets.delete(socket), other.destroy()));
    }
    client.pipe(upstream).pipe(client);
  });
  state.turnTo = (port) => {
    state.target = port;
    for (const socket of sockets) socket.destroy();
  };
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ turnTo: state.turnTo, port: server.address().port })),
  );
}

await place(async () => {
  const [first, second] = [await freePort(), await freePort()];
  initialise('first');
  const primary = await serve('first', first, standby);
  psql(first, 'CREATE DATABASE p', 'postgres');
  const copy = {
    '-h': '127.0.0.1',
    '-p': String(first),
    '-U': 'postgres',
    '-D': join(folder(), 'second'),
    '-X': 'stream',
  };
  asServer('pg_basebackup', ...Object.entries(copy).flat(), '-R', '--checkpoint=fast');
  await serve('second', second, standby);
  const address = await startSwitch(first);
  const { url, call } = await startService(addressOf(address.port));
  // Upstream is away, so accounts are made by hand, and an erasure ends here: what is stored is deleted, upstream is
  // not told.
  const act = (name, times) =>
    Array.from({ length: times }).reduce(
      (before, _, index) =>
        before.then(() => call('POST', `/admin/v1/accounts/${name}/${index % 2 ? 'unblock' : 'block'}`)),
      Promise.resolve(),
    );
  for (const name of ['anna', 'ben']) addAccount(first, name);
  await act('anna', 10);
  const number = (port) => Number(psql(port, 'SELECT last_number FROM change_feed'));
  await until('the standby has caught up', () => number(first) >= 10 && number(second) === number(first));
  psql(second, `ALTER SYSTEM SET primary_conninfo = ''`, 'postgres');
  psql(second, 'SELECT pg_reload_conf()', 'postgres');
  await until('the standby hears no more', () => psql(second, 'SELECT COUNT(*) FROM pg_stat_wal_receiver') === '0');
  const behind = number(second);
  await act('anna', 20);
  const erased = await call('DELETE', '/admin/v1/accounts/ben');
  await until(
    'the erasure has deleted',
    () => psql(first, `SELECT COUNT(*) FROM accounts WHERE account_id = 'ben' AND status <> 'erasing'`) === '0',
  );
  await until(
    'the journal has the erasure',
    () => psql(first, 'SELECT COUNT(*) FROM erasures WHERE journaled_at IS NOT NULL') === '1',
  );
  await until('the feed has the changes', () => number(first) >= behind + 20);
  const page = (await call('GET', '/v1/changes?limit=500')).body;
  const cursor = page.next;
  primary.kill('SIGKILL');
  const lost = { replayed: behind, acknowledged: page.data.length };
  psql(second, 'SELECT pg_promote(false)', 'postgres');
  await until('the standby is promoted', () => psql(second, 'SELECT pg_is_in_recovery()', 'postgres') === 'f');
  const after = number(second);
  address.turnTo(second);
  await until('the service is ready again', async () => (await fetch(`${url}/readyz`)).status === 200);
  await act('anna', 40);
  await until('the feed continues', () => number(second) >= after + 30);
  const answer = await call('GET', `/v1/changes?after=${encodeURIComponent(cursor)}`);
  await until(
    'ben is deleted again',
    () => psql(second, `SELECT COUNT(*) FROM accounts WHERE account_id = 'ben' AND status <> 'erasing'`) === '0',
  );
  await until('the alarm', async () =>
    (await call('GET', '/admin/v1/alarms')).body.data.some(({ code }) => code === 'database_promoted'),
  );
  const figures = {
    ...lost,
    afterPromotion: after,
    erased: erased.status,
    oldCursor: [answer.status, answer.body.code],
  };
  if (answer.status !== 410 || answer.body.code !== 'feed_restarted') throw new Error('The old cursor was accepted.');
  return figures;
});
