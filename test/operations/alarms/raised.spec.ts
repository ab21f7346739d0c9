import { Injectable, Module } from '@nestjs/common';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { PullWorker } from '../../../src/ingest/pulls/pull.worker.js';
import { DueReadEntity } from '../../../src/labs/orders/due-read.entity.js';
import { DueReads, resultRead } from '../../../src/labs/orders/due-reads.repository.js';
import { ResultFetchWorker } from '../../../src/labs/results/result-fetch.worker.js';
import { OrderSyncWorker } from '../../../src/labs/upstream-orders/order-sync.worker.js';
import { AlarmEntity } from '../../../src/operations/alarms/alarm.entity.js';
import type { Alarm } from '../../../src/operations/alarms/alarm-list.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { ProcessReports } from '../../../src/operations/alarms/process-reports.js';
import { UpstreamProbeWorker } from '../../../src/operations/alarms/upstream-probe.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import type { WorkerLoop, WorkOutcome } from '../../../src/storage/work/worker-loop.js';
import { WorkerRegistry } from '../../../src/storage/work/worker-registry.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../support/environment.js';
import { signedMessage } from '../../support/signed-message.js';
import { writeRow } from '../../support/tables.js';
import { TestApp } from '../../support/test-app.js';

/** A worker whose round ends when it is told to. */
@Injectable()
class HangingWorker {
  readonly loop: WorkerLoop;
  end: () => void = () => undefined;

  constructor(workers: WorkerRegistry) {
    const ended = new Promise<WorkOutcome>((resolve) => (this.end = () => resolve('idle')));
    this.loop = workers.register({ name: 'hanging', everyMs: MINUTE, work: () => ended });
  }
}

@Module({ providers: [HangingWorker] })
class HangingModule {}

const otherSecret = `whsec_${Buffer.from('a-secret-of-somebody-else-1').toString('base64')}`;

interface Line {
  readonly event: string;
  readonly code?: string;
}

describe('an alarm', () => {
  let app: TestApp;

  afterEach(() => app.close());

  const codes = async (of = app): Promise<string[]> => {
    await of.chainAccesses();
    await of.run(AlarmsWorker);
    const { body } = await of.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.map(({ code }) => code);
  };
  const logged = (event: string, of = app): (string | undefined)[] =>
    of.logs.map((line) => JSON.parse(line) as Line).flatMap((line) => (line.event === event ? [line.code] : []));
  const deliver = async (id: string, secret?: string, at = app.clock.now()): Promise<number> => {
    const { headers, body } = signedMessage(id, { event_type: 'unheard.of' }, secret, at);
    return (await fetch(`${app.url}/webhooks`, { method: 'POST', headers, body })).status;
  };

  it('says that rounds fail, those of another worker or those that find the alarms, and clears by itself', async () => {
    let isBroken = true;
    app = await TestApp.create();
    const work = (): Promise<WorkOutcome> =>
      isBroken ? Promise.reject(new Error('planned')) : Promise.resolve('idle');
    const broken = { loop: app.get(WorkerRegistry).register({ name: 'broken', everyMs: HOUR, work }) };
    const round = (loop: WorkerLoop): Promise<void> => loop.runUntilIdle().catch(() => undefined);
    for (const expected of [[], [], ['rounds_failing']]) {
      await round(broken.loop);
      expect(await codes()).toEqual(expected);
    }
    isBroken = false;
    await round(broken.loop);
    expect(await codes()).toEqual([]);

    const rename = (from: string, to: string): Promise<unknown> =>
      app.store.lane.run((tx) => tx.execute(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename('source_priorities', 'source_priorities_away');
    for (let count = 0; count < 4; count++) await round(app.get(AlarmsWorker).loop);
    const { body } = await app.admin<{ data: Alarm[] }>('GET', '/alarms', undefined, 'monitor');
    expect(body.data.map(({ code }) => code)).toEqual(['rounds_failing']);
    await rename('source_priorities_away', 'source_priorities');
    // A round reports what failed before it.
    await codes();
    expect(await codes()).toEqual([]);
    const twice = ['rounds_failing', 'rounds_failing'];
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([twice, twice]);
  });

  it('is one row, one gauge, one log line when raised and one when cleared, and links to the runbook', async () => {
    app = await TestApp.create();
    expect(await codes()).toEqual([]);
    await app.admin('PUT', '/token-issuance', { open: false });
    expect(await codes()).toEqual(['tokens_closed']);
    expect(await codes()).toEqual(['tokens_closed']);
    const at = new Date(app.clock.now()).toISOString();
    const { body } = await app.admin<{ data: unknown[] }>('GET', '/alarms', undefined, 'monitor');
    expect(body.data).toEqual([
      {
        code: 'tokens_closed',
        severity: 'warning',
        action: 'Enable token issuance once its reason is gone.',
        command: 'pulsekeep accounts set-token-issuance --open true',
        message: 'An operator disabled token issuance.',
        count: null,
        since: at,
        raised_at: at,
        providers: [],
        reasons: [],
        runbook: 'docs/runbook.md#tokens_closed',
        acknowledged: null,
      },
    ]);
    expect((await app.admin<{ alarms: unknown[] }>('GET', '/overview')).body.alarms).toEqual(body.data);
    expect(await app.figures()).toContain('pulsekeep_alarm{code="tokens_closed"} 1');
    expect(await app.figures()).toContain('pulsekeep_alarm{code="silence"} 0');
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([['tokens_closed'], []]);
    expect(app.logs.join('')).toContain('"runbook":"docs/runbook.md#tokens_closed"');
    await app.admin('PUT', '/token-issuance', { open: true });
    expect(await codes()).toEqual([]);
    expect(await app.figures()).toContain('pulsekeep_alarm{code="tokens_closed"} 0');
    expect([logged('alarm.raised'), logged('alarm.cleared')]).toEqual([['tokens_closed'], ['tokens_closed']]);
  });

  it('is acknowledged with a reason until it grows', async () => {
    app = await TestApp.create();
    const dead = async (message_id: string): Promise<string[]> => {
      const at = app.clock.now();
      const row = { message_id, status: 'dead', received_at: at, sent_at: at, finished_at: at, attempts: 1, size: 0 };
      await writeRow(app.store, 'messages', row);
      return codes();
    };
    const ack = (code = 'dead_messages', role?: 'viewer'): ReturnType<typeof app.admin> =>
      app.admin('POST', `/alarms/${code}/ack`, { reason: 'Waits for upstream.' }, role);
    const open = async (): Promise<boolean> =>
      (await app.figures()).includes('pulsekeep_alarm{code="dead_messages"} 1');
    expect(await dead('m-1')).toEqual(['dead_messages']);
    expect([(await ack('dead_messages', 'viewer')).status, await open()]).toEqual([403, true]);
    expect((await ack('silence')).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await ack('nothing')).body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await ack('critical_results')).body).toMatchObject({ status: 409, code: 'conflict' });
    const acknowledged = { by: 'operator', at: new Date(app.clock.now()).toISOString(), reason: 'Waits for upstream.' };
    expect(await ack()).toMatchObject({ status: 200, body: { code: 'dead_messages', count: 1, acknowledged } });
    expect([await codes(), await open()]).toEqual([['dead_messages'], false]);
    expect((await app.admin('GET', '/overview')).body).toMatchObject({ alarms: [{ count: 1, acknowledged }] });
    expect(await dead('m-2')).toEqual(['dead_messages']);
    expect((await app.admin('GET', '/alarms')).body).toMatchObject({ data: [{ count: 2, acknowledged: null }] });
    expect([await open(), logged('alarm.raised')]).toEqual([true, ['dead_messages', 'dead_messages']]);
    await ack();
    const other = await app.another();
    expect([await codes(other), await other.figures()]).toEqual([
      ['dead_messages'],
      expect.stringContaining('pulsekeep_alarm{code="dead_messages"} 0'),
    ]);
  });

  it('is raised by the scheduler, not by a reader', async () => {
    app = await TestApp.create();
    await app.admin('PUT', '/token-issuance', { open: false });
    const { body } = await app.admin<{ data: unknown[] }>('GET', '/alarms', undefined, 'monitor');
    expect([body.data, logged('alarm.raised')]).toEqual([[], []]);
  });

  it('is raised and logged once by several processes, whichever of them observed the fault', async () => {
    app = await TestApp.create();
    const other = await app.another();
    other.get(ThisProcess).note('upstream_away', app.clock.now());
    expect(await codes(other)).toEqual(['upstream_away']);
    expect(await codes(app)).toEqual(['upstream_away']);
    expect([logged('alarm.raised', other), logged('alarm.raised', app)]).toEqual([['upstream_away'], []]);
    other.get(ThisProcess).clear('upstream_away');
    expect(await codes(other)).toEqual([]);
    expect(await codes(app)).toEqual([]);
    expect([logged('alarm.cleared', other), logged('alarm.cleared', app)]).toEqual([['upstream_away'], []]);
  });

  it('ends when the process that observed the fault dies', async () => {
    app = await TestApp.create();
    const other = await app.another();
    other.get(ThisProcess).note('upstream_away', app.clock.now());
    expect(await codes(other)).toEqual(['upstream_away']);
    app.clock.advance(MINUTE);
    expect(await codes(app)).toEqual(['upstream_away']);
    app.clock.advance(1);
    expect(await codes(app)).toEqual([]);
  });

  it('reports that upstream refuses the key, until it accepts it again', async () => {
    app = await TestApp.create();
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual([]);
    await app.sandbox.control.fault({ kind: 'status', path: '/', status: 401 });
    await app.as('berta', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual(['upstream_key_refused']);
    await app.wait(60);
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual(['upstream_key_refused']);
    await app.sandbox.control.clearFaults();
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual(['upstream_key_refused']);
    await app.wait(60);
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual([]);
  });

  it('outlasts a restart if the restart proves nothing', async () => {
    app = await TestApp.create();
    const before = app.get(ThisProcess);
    before.note('upstream_key_refused', app.clock.now());
    before.note('database_went_back', app.clock.now(), app.clock.now() + DAY);
    before.note('fence_key_missing', app.clock.now());
    expect(await codes()).toEqual(['database_went_back', 'upstream_key_refused', 'fence_key_missing']);
    const restarted = await app.another();
    await app.get(ProcessReports).onApplicationShutdown();
    expect(await codes(restarted)).toEqual(['database_went_back', 'upstream_key_refused']);
    await restarted.run(UpstreamProbeWorker);
    expect(await codes(restarted)).toEqual(['database_went_back']);
    app.clock.advance(DAY);
    expect(await codes(restarted)).toEqual([]);
  });

  it('asks upstream again a minute later, even if the clock was set back meanwhile', async () => {
    app = await TestApp.create();
    await app.sandbox.control.fault({ kind: 'status', path: '/', status: 401 });
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual(['upstream_key_refused']);
    await app.sandbox.control.clearFaults();
    app.clock.step(-DAY);
    await app.wait(60);
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual([]);
  });

  it('ends if the process that observed the fault died before the clock was set back', async () => {
    app = await TestApp.create();
    const other = await app.another();
    other.get(ThisProcess).note('upstream_away', app.clock.now());
    expect(await codes(other)).toEqual(['upstream_away']);
    app.clock.step(-DAY);
    expect(await codes(app)).toEqual([]);
    expect(app.get(ProcessReports).showsStore).toBe(true);
  });

  it('reports that upstream is away, as soon as the circuit is open, until it responds again', async () => {
    app = await TestApp.create();
    await app.sandbox.control.fault({ kind: 'status', path: '/', status: 503 });
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual([]);
    for (let tries = 0; tries < 10; tries++) await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual(['upstream_away']);
    await app.sandbox.control.clearFaults();
    await app.wait(120);
    await app.run(UpstreamProbeWorker);
    expect(await codes()).toEqual([]);
  });

  it('reports that upstream is away when single calls have failed for two minutes', async () => {
    app = await TestApp.create({
      tuning: { retry: { tries: 1, backoff: { baseMs: 1, capMs: 1, factor: 1, jitter: 0 } } },
    });
    await app.sandbox.control.fault({ kind: 'drop_before', path: '/' });
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    await app.wait(119);
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual([]);
    await app.wait(1);
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual(['upstream_away']);
    await app.sandbox.control.clearFaults();
    await app.as('anna', 'POST', '/me/sign-in-token', {});
    expect(await codes()).toEqual([]);
  });

  it('reports that no secret fits the deliveries, until one is accepted, but ignores a single stranger', async () => {
    app = await TestApp.create();
    for (const id of ['one', 'two']) expect(await deliver(id, otherSecret)).toBe(401);
    expect(await codes()).toEqual([]);
    expect(await deliver('good')).toBe(204);
    for (const id of ['one', 'two']) expect(await deliver(id, otherSecret)).toBe(401);
    expect(await codes()).toEqual([]);
    expect(await deliver('three', otherSecret)).toBe(401);
    expect(await codes()).toEqual(['deliveries_refused']);
    expect(await deliver('better')).toBe(204);
    expect(await codes()).toEqual([]);
  });

  it('reports that the clock is wrong when valid signatures have other times', async () => {
    app = await TestApp.create();
    const wrong = app.clock.now() - 10 * MINUTE;
    for (const id of ['one', 'two', 'three']) expect(await deliver(id, undefined, wrong)).toBe(401);
    expect(await codes()).toEqual(['deliveries_untimely']);
    expect(await deliver('one')).toBe(204);
    expect(await codes()).toEqual([]);
  });

  it.each([
    ['to an earlier report of the process', 'UPDATE processes SET seen_at = ?'],
    ['to before it began', `UPDATE processes SET seen_at = ?, instance = 'a dead one'`],
  ])('reports for a day that the database went back, %s, and since when', async (_, goBack) => {
    app = await TestApp.create();
    const back = app.clock.now() - HOUR;
    expect(await codes()).toEqual([]);
    app.clock.advance(15 * SECOND);
    expect(await codes()).toEqual([]);
    await app.store.lane.run((tx) => tx.execute(goBack, [back]));
    app.clock.advance(15 * SECOND);
    expect(await codes()).toEqual(['database_went_back']);
    expect((await app.table(AlarmEntity).all())[0]).toMatchObject({ since: back });
    app.clock.advance(24 * HOUR);
    expect(await codes()).toEqual([]);
  });

  it('about refused deliveries ends a day after the last of them', async () => {
    app = await TestApp.create();
    for (const id of ['one', 'two', 'three']) await deliver(id, otherSecret);
    app.clock.advance(24 * HOUR - 1);
    expect(await codes()).toEqual(['deliveries_refused']);
    app.clock.advance(1);
    expect(await codes()).toEqual([]);
  });

  it('reports that no process works on the inbox, until one does', async () => {
    app = await TestApp.create();
    expect(await deliver('one')).toBe(204);
    app.clock.advance(2 * MINUTE);
    expect(await codes()).toEqual([]);
    app.clock.advance(1);
    expect(await codes()).toEqual(['inbox_unworked']);
    await app.run(InboxWorker);
    expect(await codes()).toEqual([]);
  });

  it('reports that no process works on due pulls, until one does', async () => {
    app = await TestApp.create();
    await app.connect('anna', 'oura', { days: 1, per_day: 1 });
    await app.settle();
    await app.admin('POST', '/accounts/anna/sync', { resources: ['sleep'] });
    app.clock.advance(2 * MINUTE + 1);
    expect(await codes()).toEqual(['pulls_unworked']);
    await app.run(PullWorker);
    expect(await codes()).toEqual([]);
  });

  it('reports that the list of orders is stuck, until it is read again', async () => {
    app = await TestApp.create();
    await app.run(OrderSyncWorker);
    await app.sandbox.control.fault({ kind: 'bad_json', path: '/v3/orders' });
    for (let hour = 0; hour < 4; hour++) {
      await app.wait(HOUR / SECOND);
      await app.run(OrderSyncWorker);
    }
    expect(await codes()).toEqual(['order_list_stuck']);
    await app.sandbox.control.clearFaults();
    await app.wait(HOUR / SECOND);
    await app.run(OrderSyncWorker);
    expect(await codes()).toEqual([]);
  });

  it('about the list of orders is not raised for a team that has no orders', async () => {
    app = await TestApp.create();
    await app.sandbox.control.fault({ kind: 'status', path: '/v3/orders', status: 403 });
    for (let hour = 0; hour < 5; hour++) {
      await app.run(OrderSyncWorker);
      await app.wait(HOUR / SECOND);
    }
    expect(await codes()).toEqual([]);
  });

  it('reports that a round hangs, until it ends', async () => {
    app = await TestApp.create({ modules: [HangingModule] });
    const { loop } = app.get(HangingWorker);
    loop.tick();
    app.clock.advance(10 * MINUTE - 1);
    expect(await codes()).toEqual([]);
    app.clock.advance(2);
    expect(await codes()).toEqual(['worker_stuck']);
    app.get(HangingWorker).end();
    await loop.runUntilIdle();
    expect(await codes()).toEqual([]);
  });

  it('reports that results were given up, until they are requested again', async () => {
    app = await TestApp.create();
    const { upstream_user_id } = await app.get(AccountsService).ensure('person-a', { priority: 'interactive' });
    const { order } = await app.sandbox.control.createOrder({ user_id: upstream_user_id ?? '', notify: false });
    await app.run(OrderSyncWorker);
    const read = resultRead({ scope: 'order', id: order.id });
    const dueReads = app.get(DueReads);
    await app.store.lane.run((tx) => dueReads.request(tx, read, app.clock.now()));
    await app.sandbox.control.fault({ kind: 'bad_json', path: '/v3/order' });
    for (let tries = 0; tries < 200 && (await app.table(DueReadEntity).count({ due_at: null })) === 0; tries++) {
      await app.wait((7 * HOUR) / SECOND);
      await app.run(ResultFetchWorker);
    }
    expect(await codes()).toEqual(['results_given_up']);
    await app.store.lane.run((tx) => dueReads.request(tx, read, app.clock.now()));
    expect(await codes()).toEqual([]);
  });
});
