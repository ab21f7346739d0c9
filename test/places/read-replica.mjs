/*
 * A service reads lists, exports and snapshots from a real standby, which then lags, goes away, and is promoted.
 *
 *   npm run build && node test/places/read-replica.mjs
 *
 * Ends with 0 if such reads go to the standby while it shows all that was committed, and to the primary otherwise; if
 * every read shows what was written before it, also of an erased person while the standby still has them; and if each
 * state is said by the overview and the alarm.
 */
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

/** Reads of tables by the sessions of the service, on either server. */
const reads = (port) =>
  Number(psql(port, `SELECT idx_scan + seq_scan FROM pg_stat_user_tables WHERE relname = 'accounts'`));

await place(async () => {
  const [first, second] = [await freePort(), await freePort()];
  initialise('first');
  await serve('first', first);
  psql(first, 'CREATE DATABASE p', 'postgres');
  const copyOf = { '-h': '127.0.0.1', '-p': String(first), '-U': 'postgres', '-D': join(folder(), 'second') };
  asServer('pg_basebackup', ...Object.entries(copyOf).flat(), '-X', 'stream', '-R', '--checkpoint=fast');
  let standby = await serve('second', second);
  const { call } = await startService(addressOf(first), { DATABASE_READ_URL: addressOf(second) });
  for (const name of ['anna', 'ben']) addAccount(first, name);

  const overview = async () => (await call('GET', '/admin/v1/overview')).body.replica;
  const hasReason = (reason) =>
    until(`the replica is ${reason ?? 'used'}`, async () => (await overview()).reason === reason);
  const names = async () => (await call('GET', '/admin/v1/accounts')).body.data.map(({ account_id }) => account_id);
  const same = (what, found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)}`);
  };
  /** Seconds of the slowest of ten lists. */
  const slowest = async () => {
    const times = [];
    for (let index = 0; index < 10; index += 1) {
      const from = performance.now();
      await names();
      times.push((performance.now() - from) / 1_000);
    }
    return Number(Math.max(...times).toFixed(3));
  };

  // Used: lists are answered by the standby, and show what was written the moment before, again and again.
  await hasReason(null);
  const before = [reads(first), reads(second)];
  for (let index = 0; index < 50; index += 1) {
    addAccount(first, `new-${index}`);
    if (!(await names()).includes(`new-${index}`)) throw new Error(`new-${index} is not shown`);
  }
  const used = await slowest();
  psql(first, `DELETE FROM accounts WHERE account_id LIKE 'new-%'`);
  same('after the deletion', await names(), ['anna', 'ben']);
  await until('the standby counts its reads', () => reads(second) >= before[1] + 50);

  // Behind: the erased person is still on the standby, and nobody is shown them.
  psql(second, 'SELECT pg_wal_replay_pause()', 'postgres');
  const erased = await call('DELETE', '/admin/v1/accounts/ben');
  same('the erasure', erased.status, 202);
  same('ben on the standby', psql(second, `SELECT status FROM accounts WHERE account_id = 'ben'`), 'pending');
  const shown = (await call('GET', '/admin/v1/accounts?q=ben')).body.data.map(({ status }) => status);
  same(
    'ben in the list',
    shown.filter((status) => status !== 'erasing'),
    [],
  );
  const exported = await call('GET', '/admin/v1/accounts/ben/export');
  same('the export of ben', exported.status, 409);
  await hasReason('behind');
  const behind = await slowest();
  const alarm = async () =>
    (await call('GET', '/admin/v1/alarms')).body.data.some(({ code }) => code === 'replica_unused');
  await until('the alarm', alarm, 120);
  const { lag_seconds: lag } = await overview();
  psql(second, 'SELECT pg_wal_replay_resume()', 'postgres');
  await hasReason(null);
  await until('the alarm ends', async () => !(await alarm()));

  // Idle: a primary without writes is no lag.
  await until('an idle primary is no lag', async () => (await overview()).lag_seconds < 1);

  // Away, and back.
  standby.kill('SIGKILL');
  same('without a standby', (await names()).includes('anna'), true);
  await hasReason('unreachable');
  const away = await slowest();
  standby = await serve('second', second);
  await hasReason(null);

  // Promoted: it has a log of its own from now on.
  psql(second, 'SELECT pg_promote()', 'postgres');
  psql(second, `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('stray', 'pending', 0, 0)`);
  same('beside a promoted server', (await names()).includes('stray'), false);
  await hasReason('writable');
  return { slowestSeconds: { used, behind, away }, lagSeconds: lag };
});
