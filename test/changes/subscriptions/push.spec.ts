// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { Webhook } from 'standardwebhooks';
import { AccountEntity } from '../../../src/accounts/accounts/account.entity.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { PushClient } from '../../../src/changes/subscriptions/push.client.js';
import { PushWorker } from '../../../src/changes/subscriptions/push.worker.js';
import { PushLanesWorker } from '../../../src/changes/subscriptions/push-lanes.worker.js';
import type { PushDto, SubscriptionDto } from '../../../src/changes/subscriptions/subscriptions.dto.js';
import { AlarmsService } from '../../../src/operations/alarms/alarms.service.js';
import { AccessEntryEntity } from '../../../src/privacy/access-log/access-log.entity.js';
import type { NewChange } from '../../../src/storage/change-log/change.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import { driveCli, type Ended } from '../../operations/cli/support/run-cli.js';
import { HOUR, newAccountId, SECOND } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { stopTimers } from '../../support/stop-timers.js';
import { TestApp } from '../../support/test-app.js';
import { type Received, Receiver } from './support/receiver.js';

const routingKey = 'R0utingKeyOfTests000000000000000';
const env = {
  PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789',
  PUSH_ALLOWED_NETWORKS: '127.0.0.1',
  PAGERDUTY_ROUTING_KEY: routingKey,
};
const people = ['anna', 'ben', 'cleo'] as const;
type Person = (typeof people)[number];

type Shown = SubscriptionDto & { secret: string };

let app: TestApp;
let receiver: Receiver;
const ids = new Map<string, number>();

beforeAll(async () => {
  app = await TestApp.create({ env, clock: new FakeClock(new Date().getTime()), webhooks: false });
  for (const person of people) {
    await app.admin('POST', '/accounts', { account_id: person });
    ids.set(person, (await app.table(AccountEntity, 'account_id').byId(person)).id);
  }
});

afterAll(() => app.close());

beforeEach(async () => {
  receiver = await Receiver.start();
  // What the tests before have left.
  await app.run(SequencerWorker);
});

afterEach(async () => {
  for (const { subscription_id } of (await app.admin<{ data: SubscriptionDto[] }>('GET', '/subscriptions')).body.data) {
    await app.admin('DELETE', `/subscriptions/${subscription_id}`);
  }
  await receiver.close();
});

async function subscribe(more: object = {}): Promise<Shown> {
  const made = await app.admin<Shown>('POST', '/subscriptions', {
    url: receiver.url,
    kinds: ['summary', 'source'],
    ...more,
  });
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ state: 'active' })]);
  return made.body;
}

const shown = async ({ subscription_id }: Shown): Promise<SubscriptionDto> =>
  (await app.admin<SubscriptionDto>('GET', `/subscriptions/${subscription_id}`)).body;

async function pushes({ subscription_id }: Shown, query = ''): Promise<PushDto[]> {
  return (await app.admin<{ data: PushDto[] }>('GET', `/subscriptions/${subscription_id}/pushes${query}`)).body.data;
}

const act = ({ subscription_id }: Shown, path: string, body: object = {}) =>
  app.admin<Record<string, never>>('POST', `/subscriptions/${subscription_id}/${path}`, body);

function change(person: Person | null, subject: string, more: Partial<NewChange> = {}): NewChange {
  const account = person === null ? null : (ids.get(person) ?? 0);
  return { kind: 'summary', action: 'created', account, subject, resource: 'sleep', ...more };
}

/** Notes changes and gives them their numbers. */
async function note(...changes: NewChange[]): Promise<void> {
  await app.store.lane.run((tx) => noteChanges(tx, changes, app.clock.now()));
  await app.run(SequencerWorker);
}

async function work(on = app): Promise<void> {
  await on.run(PushWorker);
  await on.run(PushLanesWorker);
}

async function later(ms: number): Promise<void> {
  app.clock.advance(ms);
  await work();
}

const subjects = (): unknown[] => receiver.received.map(({ body }) => body.data['subject']);

/** Fails pushes about these people. */
function failFor(...failing: Person[]): void {
  receiver.answer = ({ body }, response) => {
    if (!failing.some((person) => body.data['account_id'] === person)) return false;
    response.writeHead(500).end();
    return true;
  };
}

/** As a receiver does; the library compares the time with that of the machine. */
function verify(secret: string, { text, headers }: Received): void {
  const machine = jest.spyOn(Date, 'now').mockReturnValue(app.clock.now());
  try {
    new Webhook(secret).verify(text, headers);
  } finally {
    machine.mockRestore();
  }
}

function answerAll(status: number, headers: Record<string, string> = {}): void {
  receiver.answer = (_push, response) => {
    response.writeHead(status, headers).end();
    return true;
  };
}

describe('pushes', () => {
  it('deliver each change once, signed, under its id', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'), change('ben', 'b1'), change('anna', 'a2', { action: 'gone' }));
    await work();
    expect(subjects().sort()).toEqual(['a1', 'a2', 'b1']);
    for (const push of receiver.received) verify(made.secret, push);
    const [push] = receiver.received;
    expect(push?.body).toMatchObject({ type: 'summary.created', data: { kind: 'summary', id: push?.id } });
    expect((await pushes(made)).map(({ change_id }) => change_id).sort()).toEqual(receiver.ids.sort());
    expect(await shown(made)).toMatchObject({ behind: 0, accounts_waiting: 0, failing_since: null });
    await work();
    expect(receiver.received).toHaveLength(3);
  });

  it('deliver the changes that the filters select', async () => {
    await subscribe({ kinds: ['summary', 'order'], resources: ['sleep'], origins: ['live'], account_id: 'anna' });
    await note(
      change('anna', 'yes'),
      change('anna', 'other resource', { resource: 'workouts' }),
      change('anna', 'other origin', { origin: 'history' }),
      change('anna', 'other kind', { kind: 'source' }),
      change('ben', 'other account'),
      { kind: 'order', action: 'created', account: ids.get('anna') ?? 0, subject: 'without resource' },
    );
    await work();
    expect(subjects()).toEqual(['yes', 'without resource']);
  });

  it('contain the current state of the object on request', async () => {
    await subscribe({ kinds: ['account'] });
    const { subscription_id } = await subscribe({ kinds: ['account'], payload: 'whole' });
    await app.admin('POST', '/accounts/anna/block');
    await note();
    await work();
    const [thin, whole] = receiver.received.map(({ body }) => body.data).sort((a) => ('data' in a ? 1 : -1));
    expect(thin).not.toHaveProperty('data');
    expect(whole).toMatchObject({ account_id: 'anna', data: { status: 'blocked' } });
    await app.admin('POST', '/accounts/anna/unblock');
    await note();
    await work();
    const recorded = async (): Promise<unknown[]> => {
      await app.chainAccesses();
      return (await app.table(AccessEntryEntity, 'seq').all()).filter(({ action }) => action === 'push values');
    };
    const entry = { actor: 'system', account_ref: ids.get('anna'), resource: '*', status: 200 };
    const target = `subscription:${subscription_id}`;
    expect(await recorded()).toEqual([expect.objectContaining({ ...entry, target })]);
    app.clock.advance(24 * HOUR);
    await note({ kind: 'account', action: 'changed', account: ids.get('anna') ?? 0, subject: String(ids.get('anna')) });
    await work();
    expect(await recorded()).toHaveLength(2);
  });

  it('let one account wait while others continue, and keep its order', async () => {
    const made = await subscribe();
    failFor('anna');
    await note(change('anna', 'a1'), change('ben', 'b1'), change('anna', 'a2'));
    await work();
    await note(change('anna', 'a3'), change('cleo', 'c1'));
    await work();
    expect(subjects().sort()).toEqual(['a1', 'b1', 'c1']);
    expect(await shown(made)).toMatchObject({ accounts_waiting: 1, failing_since: null, behind: 0 });
    expect((await pushes(made, '?state=waiting&account_id=anna')).map(({ attempts }) => attempts)).toEqual([0, 0, 1]);
    expect(await app.metric('push_accounts_parked')).toBe(1);
    for (let tries = 0; tries < 3; tries++) await later(60 * SECOND);
    receiver.answer = () => false;
    receiver.received.length = 0;
    await later(HOUR);
    expect(subjects()).toEqual(['a1', 'a2', 'a3']);
    expect(await app.metric('push_accounts_parked')).toBe(0);
    await note(change('anna', 'a4'));
    await work();
    expect(subjects()).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(await pushes(made, '?state=waiting')).toEqual([]);
  });

  it('that are slow for one account are parked, so that others continue', async () => {
    const made = await subscribe();
    // The lease of the subscription is shorter than two of them, and renewed in time, as by the clock of a process.
    receiver.answer = ({ body }, response) => {
      if (body.data['account_id'] !== 'anna') return false;
      app.clock.advance(6 * SECOND);
      void app.pulsekeep.workers.leases.renew().then(() => response.writeHead(204).end());
      return true;
    };
    await note(...['a1', 'a2', 'a3', 'a4'].map((subject) => change('anna', subject)), change('ben', 'b1'));
    await app.run(PushWorker);
    expect(subjects().sort()).toEqual(['a1', 'a2', 'b1']);
    expect(await shown(made)).toMatchObject({ accounts_waiting: 1, behind: 0, failing_since: null });
    await note(change('anna', 'a5'), change('ben', 'b2'));
    await app.run(PushWorker);
    expect(subjects().slice(3)).toEqual(['b2']);
    receiver.answer = () => false;
    receiver.received.length = 0;
    await work();
    expect(subjects()).toEqual(['a3', 'a4', 'a5']);
    expect(await shown(made)).toMatchObject({ accounts_waiting: 0 });
  });

  it('of other accounts arrive although a failing account has more changes than a page', async () => {
    const made = await subscribe();
    failFor('anna');
    const many = Array.from({ length: 300 }, (_, index) => change('anna', `a${index}`));
    await note(...many, change('ben', 'b1'), change('ben', 'b2'));
    await work();
    await later(20 * SECOND);
    expect(subjects().filter((subject) => String(subject).startsWith('b'))).toEqual(['b1', 'b2']);
    expect(await shown(made)).toMatchObject({ accounts_waiting: 1, failing_since: null, behind: 0 });
  });

  it('are repeated after the cursor given to enable', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'), change('anna', 'a2'), change('anna', 'a3'));
    await work();
    const [first] = receiver.ids;
    receiver.received.length = 0;
    await act(made, 'disable');
    await act(made, 'enable', { after: first });
    await work();
    expect(subjects()).toEqual(['a2', 'a3']);
  });

  it('wait for an endpoint at which nothing arrives, then arrive in order', async () => {
    const made = await subscribe();
    answerAll(500);
    await note(change('anna', 'a1'), change('anna', 'a2'), change('ben', 'b1'));
    await work();
    await later(SECOND);
    expect(receiver.received).toHaveLength(2);
    expect(await pushes(made)).toEqual([]);
    expect(await shown(made)).toMatchObject({ last_error: 'status', last_status: 500, behind: 3 });
    receiver.answer = () => false;
    receiver.received.length = 0;
    await later(20 * SECOND);
    expect(subjects().filter((subject) => subject !== 'b1')).toEqual(['a1', 'a2']);
    expect(await shown(made)).toMatchObject({ failing_since: null, last_error: null, behind: 0 });
  });

  it('respect the pause that the endpoint requests', async () => {
    await subscribe();
    answerAll(429, { 'retry-after': '600' });
    await note(change('anna', 'a1'));
    await work();
    receiver.answer = () => false;
    await later(599 * SECOND);
    expect(receiver.received).toHaveLength(1);
    await later(2 * SECOND);
    expect(receiver.received).toHaveLength(2);
  });

  it.each([429, 503])('stop for every account while the endpoint requests a pause with %d', async (status) => {
    await subscribe();
    failFor('ben');
    await note(change('anna', 'a1'), change('ben', 'b1'));
    await work();
    const busy = (person: Person) => {
      receiver.answer = ({ body }, response) => {
        if (body.data['account_id'] !== person) return false;
        response.writeHead(status, { 'retry-after': '600' }).end();
        return true;
      };
    };
    busy('cleo');
    await note(change('anna', 'a2'));
    await note(change('cleo', 'c1'));
    await work();
    expect(subjects().slice(2).sort()).toEqual(['a2', 'c1']);
    receiver.received.length = 0;
    await note(change('anna', 'a3'));
    for (let minutes = 0; minutes < 9; minutes++) await later(60 * SECOND);
    expect(subjects()).toEqual([]);
    busy('ben');
    await later(62 * SECOND);
    receiver.received.length = 0;
    await note(change('anna', 'a4'));
    await later(300 * SECOND);
    expect(subjects()).toEqual([]);
    receiver.answer = () => false;
    await later(302 * SECOND);
    await later(SECOND);
    expect(subjects().sort()).toEqual(['a4', 'b1']);
  });

  it('raise an alarm after 6 hours of failures, stop after 3 days, and continue when enabled', async () => {
    const made = await subscribe();
    const codes = async (): Promise<string[]> => {
      await app.get(AlarmsService).look(app.clock.now());
      return (await app.get(AlarmsService).current(app.clock.now())).map(({ code }) => code);
    };
    answerAll(500);
    await note(change('anna', 'a1'));
    await work();
    for (let hours = 0; hours < 6; hours++) await later(HOUR);
    expect(await codes()).not.toContain('push_failing');
    await later(HOUR);
    expect(await codes()).toContain('push_failing');
    for (let days = 0; days < 3; days++) await later(24 * HOUR);
    expect(await codes()).toEqual(expect.arrayContaining(['push_failing', 'push_disabled']));
    const last = { last_error: 'status', last_status: 500 };
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'failing', behind: 1, ...last });
    receiver.answer = () => false;
    receiver.received.length = 0;
    await act(made, 'enable');
    await work();
    expect(subjects()).toEqual(['a1']);
    expect(await codes()).not.toContain('push_disabled');
    expect(await codes()).not.toContain('push_failing');
  });

  it.each([
    [404, 'status_404'],
    [405, 'status_405'],
    [301, 'redirect'],
    [410, 'gone'],
  ])(
    'that %i will always end raise an alarm with the reason within minutes, and in every process',
    async (status, reason) => {
      await subscribe();
      answerAll(status);
      await note(change('anna', 'a1'));
      await work();
      for (let minutes = 0; minutes < 16; minutes += 4) await later(240 * SECOND);
      const alarm = expect.objectContaining({ code: 'push_failing', count: 1, reasons: [reason] });
      const restarted = await app.another({ env });
      for (const on of [app, restarted]) {
        await on.get(AlarmsService).look(app.clock.now());
        const { body } = await on.admin('GET', '/alarms');
        expect(body.data).toContainEqual(alarm);
      }
    },
  );

  it('to a name that does not exist, or an address that is no longer allowed, are named as such', async () => {
    await subscribe({ url: 'https://nothing-of-the-kind.invalid/' });
    const narrow = await app.another({ env: { ...env, PUSH_ALLOWED_NETWORKS: '' } });
    await subscribe();
    await note(change('anna', 'a1'));
    await work(narrow);
    app.clock.advance(1_000 * SECOND);
    await app.get(AlarmsService).look(app.clock.now());
    const { body } = await app.admin('GET', '/alarms');
    const reasons = ['address_refused', 'name_unknown'];
    expect(body.data).toContainEqual(expect.objectContaining({ code: 'push_failing', count: 2, reasons }));
  });

  it('end with a 410', async () => {
    const made = await subscribe();
    answerAll(503);
    await note(change('anna', 'a1'));
    await work();
    answerAll(410);
    await later(24 * HOUR);
    await later(24 * HOUR);
    expect(receiver.received).toHaveLength(2);
    expect(await shown(made)).toMatchObject({
      state: 'disabled',
      reason: 'gone',
      last_error: 'gone',
      last_status: 410,
    });
  });

  it('are given up after 3 days for an account that always fails', async () => {
    const made = await subscribe();
    failFor('anna');
    await note(change('anna', 'a1'), change('ben', 'b1'));
    await work();
    for (let days = 0; days < 4; days++) await later(24 * HOUR);
    expect(await pushes(made, '?account_id=anna')).toEqual([expect.objectContaining({ state: 'given_up' })]);
    receiver.answer = () => false;
    await note(change('anna', 'a2'));
    await work();
    expect(subjects().at(-1)).toBe('a2');
  });

  it('do not wait for an endpoint that hangs', async () => {
    const slow = await Receiver.start();
    const hangs = new Promise<void>((resolve) => {
      slow.answer = () => {
        resolve();
        return true;
      };
    });
    const other = await subscribe({ url: slow.url });
    await subscribe();
    await note(change('anna', 'a1'));
    const arrived = new Promise<void>((resolve) => {
      receiver.answer = () => resolve();
    });
    stopTimers();
    const working = app.run(PushWorker);
    await Promise.all([arrived, hangs]);
    jest.advanceTimersByTime(app.get(PushClient).timeoutMs);
    await working;
    jest.useRealTimers();
    expect(await pushes(other)).toEqual([]);
    await slow.close();
  });

  it('are repeated under the same id if the process ended before it recorded them', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'));
    // Another process has taken the lease over, as after a kill.
    receiver.answer = (_push, response) => {
      receiver.answer = () => false;
      const sql = `UPDATE subscriptions SET lease_owner = NULL, lease_until = NULL`;
      void app.store.lane.run((tx) => tx.execute(sql)).then(() => response.writeHead(204).end());
      return true;
    };
    await work();
    await work();
    const [first, second, ...more] = receiver.ids;
    expect([first, more]).toEqual([second, []]);
    expect(await pushes(made)).toHaveLength(1);
  });

  it('of two processes keep the order of each account', async () => {
    const other = await app.another({ env });
    const made = await subscribe();
    const wanted = Array.from({ length: 40 }, (_, index) => index);
    for (const index of wanted) await note(...people.map((person) => change(person, `${person} ${index}`)));
    let refused = 0;
    receiver.answer = (_push, response) => {
      if (refused++ % 17 !== 5) return false;
      response.writeHead(500).end();
      return true;
    };
    for (let round = 0; round < 8; round++) {
      await Promise.all([work(), work(other)]);
      app.clock.advance(HOUR);
    }
    expect(await pushes(made, '?state=waiting')).toEqual([]);
    for (const person of people) {
      const own = subjects().filter((subject) => String(subject).startsWith(person));
      // A refused push comes again before the next one.
      const once = own.filter((subject, index) => subject !== own[index - 1]);
      expect(once).toEqual(wanted.map((index) => `${person} ${index}`));
    }
  });

  it.each([
    ['text', (text: string) => ({ text })],
    [
      'teams',
      (text: string) => ({
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: expect.objectContaining({ type: 'AdaptiveCard', body: [{ type: 'TextBlock', text, wrap: true }] }),
          },
        ],
      }),
    ],
  ])('of an alarm, and a test, can be a message for a chat: %s', async (payload, bodyOf) => {
    const made = await subscribe({ kinds: ['alarm'], payload });
    const alarm = { kind: 'alarm', account: null, subject: 'critical_results' } as const;
    await note({ ...alarm, action: 'created' }, change('anna', 'a1'), { ...alarm, action: 'gone' });
    await work();
    await act(made, 'test');
    const raised = 'Pulsekeep: the alarm critical_results (critical) is raised.';
    const toDo = 'Inform the patients, then record for each order that the patient was notified.';
    expect(receiver.received.map(({ body }) => body)).toEqual([
      bodyOf(
        `${raised} Results are critical, and no record shows that the patient was informed. ${toDo} See docs/runbook.md#critical_results.`,
      ),
      bodyOf('Pulsekeep: the alarm critical_results (critical) is over. See docs/runbook.md#critical_results.'),
      bodyOf('Pulsekeep: this is a test.'),
    ]);
  });
});

describe('a subscription', () => {
  it('shows its secret once, keeps it nowhere, and logs neither it nor the address', async () => {
    const made = await subscribe({ url: `${receiver.url}/secret-path` });
    await note(change('anna', 'a1'));
    answerAll(500);
    await work();
    const list = await app.admin<{ data: SubscriptionDto[] }>('GET', '/subscriptions');
    expect(JSON.stringify(list.body)).not.toMatch(/whsec_/);
    const rows = await app.store.reader.rows('SELECT * FROM subscriptions');
    const key = Buffer.from(made.secret.slice(6), 'base64');
    for (const mark of [made.secret, made.secret.slice(6), key.toString('hex'), 'secret-path']) {
      expect(app.logs.join('')).not.toContain(mark);
      if (mark !== 'secret-path') expect(JSON.stringify(rows)).not.toContain(mark);
    }
  });

  it('signs with two secrets while one replaces the other', async () => {
    const made = await subscribe();
    const rotated = await app.admin<Shown>('POST', `/subscriptions/${made.subscription_id}/rotate-secret`, {
      previous_valid_hours: 2,
    });
    expect((await act(made, 'test')).body).toMatchObject({ delivered: true, status: 204 });
    const [both] = receiver.received;
    for (const { secret } of [made, rotated.body]) verify(secret, both as Received);
    app.clock.advance(3 * HOUR);
    await act(made, 'test');
    const one = receiver.received[1] as Received;
    verify(rotated.body.secret, one);
    expect(() => verify(made.secret, one)).toThrow('No matching signature');
  });

  it('tests its endpoint', async () => {
    const made = await subscribe();
    answerAll(302);
    expect((await act(made, 'test')).body).toMatchObject({ delivered: false, status: 302, error: 'redirect' });
    expect(receiver.received[0]?.body).toMatchObject({ type: 'test' });
    expect(await pushes(made)).toEqual([]);
  });

  it('is listed and tested on the command line', async () => {
    const made = await subscribe();
    const listed = await driveCli(app.url, ['subscriptions', 'list']);
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining(`${made.subscription_id}\tactive\t`)]);
    const test = (): Promise<Ended> => driveCli(app.url, ['subscriptions', 'test', made.subscription_id]);
    expect(await test()).toMatchObject({ code: 0, out: expect.stringMatching(/delivered +true/) });
    answerAll(503);
    expect(await test()).toMatchObject({ code: 1, out: expect.stringMatching(/status\s+503/) });
  });

  it('repeats one push, some, or all after a cursor', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'), change('ben', 'b1'), change('anna', 'a2', { kind: 'source' }));
    await work();
    const [newest] = await pushes(made);
    receiver.received.length = 0;

    expect((await act(made, `pushes/${newest?.change_id}/replay`)).status).toBe(202);
    await work();
    expect(receiver.ids).toEqual([newest?.change_id]);
    receiver.received.length = 0;

    expect((await act(made, 'pushes/replay', { account_id: 'anna' })).body).toEqual({ count: 2 });
    await work();
    expect(subjects()).toEqual(['a1', 'a2']);
    receiver.received.length = 0;

    expect((await act(made, 'pushes/replay', { after: made.position })).body).toEqual({ count: null });
    await work();
    expect(subjects().sort()).toEqual(['a1', 'a2', 'b1']);
    expect(await pushes(made)).toHaveLength(3);

    expect((await act(made, 'pushes/replay', {})).status).toBe(400);
    const first = (await pushes(made)).at(-1)?.created_at ?? '';
    const later = new Date(Date.parse(first) + 1).toISOString();
    expect(await pushes(made, `?start=${first}&end=${later}`)).not.toEqual([]);
    for (const end of ['end', 'to']) expect(await pushes(made, `?${end}=${first}`)).toEqual([]);
    expect((await act(made, 'pushes/replay', { after: made.position, kind: 'source' })).status).toBe(400);
    expect((await act(made, 'pushes/x-1-1/replay')).status).toBe(404);
  });

  it('can be disabled, enabled and changed', async () => {
    const made = await subscribe();
    await act(made, 'disable');
    await note(change('anna', 'a1'));
    await work();
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'operator', behind: 1 });
    const path = `/subscriptions/${made.subscription_id}`;
    expect((await app.admin('PATCH', path, { description: 'ours', kinds: ['order'] })).status).toBe(200);
    await act(made, 'enable');
    await work();
    expect(receiver.received).toEqual([]);
    await app.admin('PATCH', path, { kinds: null, resources: ['sleep'], origins: ['live'] });
    await note(change('anna', 'a2'));
    await work();
    expect(subjects()).toEqual(['a2']);
    expect(await shown(made)).toMatchObject({ description: 'ours', kinds: null, resources: ['sleep'] });
    expect((await app.admin('DELETE', path)).status).toBe(204);
    expect((await app.admin('GET', path)).status).toBe(404);
  });

  it('is refused without a value where one is needed', async () => {
    const made = await subscribe();
    const path = `/subscriptions/${made.subscription_id}`;
    const fieldOf = async (method: string, at: string, body: object): Promise<unknown> => {
      const { status, body: answer } = await app.admin<{ errors?: { field: string }[] }>(method, at, body);
      return [status, answer.errors?.[0]?.field];
    };
    for (const url of ['', null]) {
      expect(await fieldOf('POST', '/subscriptions', { url })).toEqual([400, 'url']);
      expect(await fieldOf('PATCH', path, { url })).toEqual([400, 'url']);
    }
    for (const field of ['payload', 'account_id', 'after']) {
      expect(await fieldOf('POST', '/subscriptions', { url: receiver.url, [field]: null })).toEqual([400, field]);
    }
    expect(await fieldOf('PATCH', path, { payload: null })).toEqual([400, 'payload']);
    expect(await fieldOf('POST', `${path}/enable`, { after: null })).toEqual([400, 'after']);
    const hours = 'previous_valid_hours';
    expect(await fieldOf('POST', `${path}/rotate-secret`, { [hours]: null })).toEqual([400, hours]);
    expect(await fieldOf('POST', `${path}/pushes/replay`, { after: null })).toEqual([400, 'after']);
    const cleared = { description: null, kinds: null, resources: null, origins: null };
    expect((await app.admin('PATCH', path, cleared)).status).toBe(200);
    expect(await shown(made)).toMatchObject({ url: receiver.url, ...cleared });
  });

  it('sends waiting changes to its new address in its new form', async () => {
    const made = await subscribe();
    failFor('anna');
    await note(change('anna', 'a1'), change('ben', 'b1'), change('anna', 'a2'));
    await work();
    const other = await Receiver.start();
    const path = `/subscriptions/${made.subscription_id}`;
    expect((await app.admin('PATCH', path, { url: other.url, payload: 'whole', kinds: ['order'] })).status).toBe(200);
    const before = receiver.received.length;
    await later(10 * SECOND);
    expect(other.received.map(({ body }) => body.data)).toEqual([
      expect.objectContaining({ subject: 'a1', data: null }),
      expect.objectContaining({ subject: 'a2', data: null }),
    ]);
    for (const push of other.received) verify(made.secret, push);
    expect(receiver.received).toHaveLength(before);
    await note(change('anna', 'a3'));
    await work();
    expect([other.received.length, (await shown(made)).behind]).toEqual([2, 0]);
    await other.close();
  });

  it('sends changes that were replayed while it was disabled only once it is enabled', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'), change('ben', 'b1'));
    await work();
    const first = (await pushes(made, '?account_id=anna'))[0]?.change_id;
    receiver.received.length = 0;
    await act(made, 'disable');
    expect((await act(made, `pushes/${first}/replay`)).status).toBe(202);
    await work();
    await later(HOUR);
    expect(receiver.received).toEqual([]);
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'operator' });
    await act(made, 'enable');
    await work();
    expect([subjects(), await pushes(made, '?state=waiting')]).toEqual([['a1'], []]);
    await act(made, 'disable');
    receiver.received.length = 0;
    expect((await act(made, 'pushes/replay', { after: made.position })).status).toBe(202);
    await work();
    expect([subjects(), (await shown(made)).state]).toEqual([[], 'disabled']);
    await act(made, 'enable');
    await work();
    expect(subjects().sort()).toEqual(['a1', 'b1']);
  });

  it.each([
    [410, {}],
    [503, { 'retry-after': '86400' }],
  ])('goes on at a new address although the former one answers %j %j to a push under way', async (status, headers) => {
    const made = await subscribe();
    failFor('anna');
    await note(change('anna', 'a1'), change('ben', 'b1'));
    await work();
    const moved = `${receiver.url}?moved`;
    receiver.answer = (_, response) => {
      void app.admin('PATCH', `/subscriptions/${made.subscription_id}`, { url: moved }).then(() => {
        receiver.answer = () => false;
        response.writeHead(status, headers).end();
      });
      return true;
    };
    await later(HOUR);
    expect(await shown(made)).toMatchObject({ url: moved, state: 'active', reason: null });
    receiver.received.length = 0;
    await note(change('cleo', 'c1'));
    await later(SECOND);
    expect(subjects()).toEqual(['c1']);
  });

  it('for an account ends with its erasure, and waiting changes of the account are not sent', async () => {
    const account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id });
    const { id } = await app.table(AccountEntity, 'account_id').byId(account_id);
    const own = await subscribe({ account_id });
    const all = await subscribe();
    const night = { ...change(null, 'night'), account: id };
    await note(night, change('ben', 'b1'));
    receiver.answer = ({ body }, response) => {
      if (body.data['account_id'] !== account_id) return false;
      response.writeHead(500).end();
      return true;
    };
    await work();
    expect((await shown(all)).accounts_waiting).toBe(1);
    await app.admin('DELETE', `/accounts/${account_id}`);
    await app.settle();
    receiver.answer = () => false;
    receiver.received.length = 0;
    await later(HOUR);
    expect(receiver.received.filter(({ text }) => text.includes(account_id))).toEqual([]);
    expect((await app.admin('GET', `/subscriptions/${own.subscription_id}`)).status).toBe(404);
    expect(await shown(all)).toMatchObject({ accounts_waiting: 0, behind: 0 });
    expect(await pushes(all, '?state=waiting')).toEqual([]);
  });

  it('is not made for an account whose erasure came after the account was found', async () => {
    const account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id });
    const accounts = app.get(AccountsService);
    const get = accounts.get.bind(accounts);
    jest.spyOn(accounts, 'get').mockImplementationOnce(async (id) => {
      const found = await get(id);
      await app.admin('DELETE', `/accounts/${account_id}`);
      await app.settle();
      return found;
    });
    const refused = await app.admin('POST', '/subscriptions', { url: receiver.url, account_id });
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
  });

  it.each([
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'http://93.184.216.34/' }, 'url'],
    [{ url: 'https://user:word@example.com/' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://example.com/', payload: 'text' }, 'payload'],
    [{ url: 'https://example.com/', payload: 'teams', kinds: ['alarm', 'result'] }, 'payload'],
    [{ url: 'https://events.pagerduty.com/v2/enqueue', payload: 'pagerduty' }, 'payload'],
    [{ url: 'https://example.com/', payload: 'pagerduty', kinds: ['alarm'] }, 'url'],
    [{ url: 'https://events.pagerduty.com.example.com/', payload: 'pagerduty', kinds: ['alarm'] }, 'url'],
    [{ url: 'http://events.pagerduty.com/v2/enqueue', payload: 'pagerduty', kinds: ['alarm'] }, 'url'],
    [{ url: 'https://example.com/', payload: 'fhir' }, 'payload'],
    [{ url: 'https://example.com/', payload: 'fhir', kinds: ['result', 'summary'] }, 'payload'],
    [{ url: 'https://example.com/', kinds: [] }, 'kinds'],
    [{ url: 'https://example.com/', kinds: ['weather'] }, 'kinds'],
    [{ url: 'https://example.com/', after: 'x' }, 'after'],
  ])('is refused as %j', async (body, field) => {
    const refused = await app.admin('POST', '/subscriptions', body);
    expect([refused.status, refused.body.errors.map((each) => each.field)]).toEqual([400, [field]]);
  });

  it('sends nothing from a database that was restored, or reopened after a copy', async () => {
    const made = await subscribe();
    await note(change('anna', 'a1'));
    await work();
    await app.store.lane.run(async (tx) => {
      await tx.execute(`UPDATE subscriptions SET feed = 'ffffffffffff'`);
      await tx.execute(`UPDATE pushes SET change_id = 'ffffffffffff-' || number || '-0'`);
    });
    await work();
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'feed_restarted' });
    expect((await act(made, 'enable')).status).toBe(410);
    expect((await act(made, 'enable', { after: made.position })).body).toMatchObject({ state: 'active' });
    receiver.received.length = 0;
    await work();
    expect(receiver.received).toHaveLength(1);
    expect((await pushes(made)).map(({ change_id }) => change_id)).toEqual(receiver.ids);
  });

  it('about alarms continues after a restore when it is enabled, because a chat has no copy to replace', async () => {
    const made = await subscribe({ kinds: ['alarm'], payload: 'text' });
    await app.store.lane.run((tx) => tx.execute(`UPDATE subscriptions SET feed = 'ffffffffffff'`));
    await note({ kind: 'alarm', account: null, subject: 'critical_results', action: 'created' });
    await work();
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'feed_restarted' });
    expect(receiver.received).toEqual([]);
    expect((await act(made, 'enable')).body).toMatchObject({ state: 'active', reason: null });
    await work();
    expect(receiver.received.map(({ body }) => body)).toEqual([
      { text: expect.stringContaining('the alarm critical_results (critical) is raised') },
    ]);
  });

  it('sends nothing that an account waited for when the database was restored', async () => {
    const made = await subscribe();
    failFor('anna');
    await note(change('anna', 'a1'), change('ben', 'b1'));
    await work();
    expect((await shown(made)).accounts_waiting).toBe(1);
    await app.store.lane.run((tx) => tx.execute(`UPDATE subscriptions SET feed = 'ffffffffffff'`));
    receiver.answer = () => false;
    receiver.received.length = 0;
    app.clock.advance(HOUR);
    await app.run(PushLanesWorker);
    expect(receiver.received).toEqual([]);
    await work();
    expect(await shown(made)).toMatchObject({ state: 'disabled', reason: 'feed_restarted' });
  });

  it('of an alarm opens an incident of PagerDuty and resolves it', async () => {
    const made = await subscribe({ kinds: ['alarm'], payload: 'pagerduty' });
    expect(JSON.stringify(made)).not.toContain(routingKey);
    const alarm = { kind: 'alarm', account: null, subject: 'critical_results' } as const;
    await note({ ...alarm, action: 'created' }, change('anna', 'a1'), { ...alarm, action: 'gone' });
    await work();
    await act(made, 'test');
    const dedup_key = `${made.subscription_id}/critical_results`;
    expect(receiver.received.map(({ body }) => body)).toEqual([
      expect.objectContaining({
        ...{ routing_key: routingKey, event_action: 'trigger', dedup_key },
        payload: expect.objectContaining({ severity: 'critical', class: 'critical_results' }),
      }),
      { routing_key: routingKey, event_action: 'resolve', dedup_key },
      expect.objectContaining({ event_action: 'trigger', dedup_key: `${made.subscription_id}/test` }),
    ]);
    const moved = await app.admin('PATCH', `/subscriptions/${made.subscription_id}`, { url: 'https://example.com/' });
    expect([moved.status, moved.body.errors.map(({ field }) => field)]).toEqual([400, ['url']]);
  });

  it('to PagerDuty needs its routing key', async () => {
    const { PAGERDUTY_ROUTING_KEY: _, ...rest } = env;
    const without = await app.another({ env: rest });
    const made = await subscribe({ kinds: ['alarm'], payload: 'pagerduty' });
    const { kinds, payload, url } = made;
    const refused = await without.admin('POST', '/subscriptions', { kinds, payload, url });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('PAGERDUTY_ROUTING_KEY')]);
    const tested = await without.admin('POST', `/subscriptions/${made.subscription_id}/test`, {});
    expect(tested.body).toMatchObject({ delivered: false, error: 'routing_key_missing' });
    expect(receiver.received).toEqual([]);
  });

  it('needs a key to sign with', async () => {
    const without = await app.another({ env: {} });
    const refused = await without.admin('POST', '/subscriptions', { url: 'https://example.com/' });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('PUSH_SIGNING_KEYS')]);
  });
});
