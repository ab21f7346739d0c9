import type { OpenAPIObject } from '@nestjs/swagger';
import { Receiver } from '../../changes/subscriptions/support/receiver.js';
import { Story } from './support/story.js';

interface Row {
  readonly id: number;
  readonly message_id: string;
  readonly import_id: number;
  readonly recovery_id: number;
  readonly audit_id: number;
}

describe('a person whose every value is marked', () => {
  const story = new Story();
  const key = story.secrets.text('a key of pushes').padEnd(32, 'x');
  const routingKey = story.secrets
    .text('a routing key')
    .replace(/[^A-Za-z0-9]/g, '')
    .padEnd(32, 'x')
    .slice(0, 32);
  let receiver: Receiver;
  let pager: Receiver;

  beforeAll(async () => {
    await story.begin({
      ...{ PUSH_SIGNING_KEYS: key, PUSH_ALLOWED_NETWORKS: '127.0.0.1' },
      PAGERDUTY_ROUTING_KEY: routingKey,
    });
    story.secrets.known('the routing key of PagerDuty', routingKey);
    [receiver, pager] = await Promise.all([Receiver.start(), Receiver.start()]);
    await story.app.admin('POST', '/subscriptions', { url: pager.url, payload: 'pagerduty', kinds: ['alarm'] });
    const { body } = await story.app.admin<{ secret: string }>('POST', '/subscriptions', { url: receiver.url });
    story.secrets.known('the secret of a subscription', body.secret.replace('whsec_', ''));
    await story.signsUp();
    await story.measures();
    await story.app.advance(7_200, 4);
    expect(await story.orders()).toBe(201);
    await story.resultsCome();
    const statuses = await story.asksForMuch();
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(10);
    await story.breaks();
    await story.app.advance(7_200, 4);
  });

  afterAll(async () => {
    await story.close();
    await Promise.all([receiver.close(), pager.close()]);
  });

  const read = async (path: string, role?: 'viewer' | 'reader' | 'operator'): Promise<string> =>
    JSON.stringify((await story.app.admin('GET', path, undefined, role)).body);
  const rows = async (path: string): Promise<Row[]> =>
    (await story.app.admin<{ data: Row[] }>('GET', `${path}?limit=500`)).body.data;

  it('is stored with all values', async () => {
    const record = (resource: string): string => `/accounts/${story.account}/records/${resource}?limit=500`;
    const kinds = async (resource: string): Promise<string[]> => story.secrets.in(await read(record(resource)));
    expect(await kinds('heartrate')).toContain('a heart rate');
    const own = await story.app.as(story.account, 'GET', '/me/latest?resources=heartrate');
    expect(story.secrets.in(JSON.stringify(own.body))).toContain('a heart rate');
    expect(await kinds('note')).toContain('a note');
    expect(await kinds('blood_pressure')).toEqual(expect.arrayContaining(['systolic', 'diastolic']));
    const result = await read(`/orders/${story.orderId}/result`);
    expect(story.secrets.in(result)).toEqual(expect.arrayContaining(['a lab value', 'a marker', 'an interpretation']));
    expect(await kinds('sleep')).toEqual(expect.arrayContaining(['a night', 'a remark of a night']));
  });

  it('is in no line of the log, no metric, no header and no error', async () => {
    expect(story.watched.logged()).toEqual(
      expect.arrayContaining(['token.issued', 'order.placed', 'inbox.message_done']),
    );
    expect(await story.watched.leaks()).toEqual([]);
  });

  it('is pushed to an endpoint without its values', () => {
    const kinds = receiver.received.map(({ body }) => body.data['kind']);
    expect(kinds).toEqual(expect.arrayContaining(['account', 'source', 'samples', 'summary', 'order', 'result']));
    expect(story.secrets.in(receiver.received.map(({ text }) => text).join('\n'))).toEqual([]);
  });

  it('opens incidents of PagerDuty with the routing key and nothing else of these', () => {
    const events = pager.received.map(({ body }) => body as unknown as Readonly<Record<string, unknown>>);
    expect(events).toContainEqual(expect.objectContaining({ routing_key: routingKey, event_action: 'trigger' }));
    const rest = events.map(({ routing_key: _, ...event }) => event);
    expect(story.secrets.in(JSON.stringify(rest))).toEqual([]);
    expect(story.names.in(JSON.stringify(rest))).toEqual([]);
  });

  /** What a viewer can ask for, by its path in the document. A path that is not here fails: give it a row. */
  const asked: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
    '/overview': () => [''],
    '/overview/activity': () => [''],
    '/overview/forecast': () => [''],
    '/doctor': () => [''],
    '/access-log/checkpoint': () => [''],
    '/alarms': () => [''],
    '/token-issuance': () => [''],
    '/accounts': () => ['', `?q=${story.account}`],
    '/search': () => [`?q=${story.account}`],
    '/account-imports': () => [''],
    '/account-imports/{import_id}': async () => [String((await rows('/account-imports'))[0]?.import_id)],
    '/account-imports/{import_id}/differences': async () => [String((await rows('/account-imports'))[0]?.import_id)],
    '/accounts/{account_id}': () => [story.account],
    '/accounts/{account_id}/coverage': () => [story.account],
    '/accounts/{account_id}/timeline': () => [story.account],
    '/accounts/{account_id}/explain': () =>
      ['sleep', 'heartrate'].map((resource) => `${story.account}?resource=${resource}&day=2026-11-20`),
    '/accounts/{account_id}/explanations': () => [`${story.account}?day=2026-11-20`],
    '/sessions': () => [''],
    '/sessions/current': () => [''],
    '/settings': () => [''],
    '/link-attempts': () => [''],
    '/frequent-sign-ins': () => [''],
    '/sync/tasks': () => ['?limit=500'],
    '/sync/tasks/{id}': async () => (await rows('/sync/tasks')).slice(0, 20).map(({ id }) => String(id)),
    '/sync/progress': () => [''],
    '/sync/recoveries': () => [''],
    '/sync/recoveries/{recovery_id}': async () => [String((await rows('/sync/recoveries'))[0]?.recovery_id)],
    '/audits': () => [''],
    '/audits/{audit_id}': async () => [String((await rows('/audits'))[0]?.audit_id)],
    '/accounts/{account_id}/proofs': () => [`${story.account}?limit=500`],
    '/sync/workout-series': () => [''],
    '/historical-pulls': () => ['?limit=500'],
    '/deletions': () => ['?limit=500'],
    '/consumers': () => [''],
    '/v1/changes': () => ['?limit=500'],
    '/sources': () => ['?limit=500'],
    '/source-priorities': () => [''],
    '/accounts/{account_id}/source-priorities': () => [story.account],
    '/messages': () => ['?limit=500'],
    '/messages/groups': () => [''],
    '/messages/replays': () => [''],
    '/messages/replays/{replay_id}': () => ['1'],
    '/messages/{message_id}': async () => (await rows('/messages')).map(({ message_id }) => message_id),
    '/labs/tests': () => [''],
    '/labs/cancellation-reasons': () => [''],
    '/labs/tests/{lab_test_id}': async () => {
      const { lab_tests } = await story.app.sandbox.control.labTests();
      return lab_tests.map(({ id }) => id);
    },
    '/labs/tests/{lab_test_id}/markers': async () => {
      const { lab_tests } = await story.app.sandbox.control.labTests();
      return lab_tests.map(({ id }) => id);
    },
    '/labs/tests/{lab_test_id}/collection-instructions.pdf': async () => {
      const { lab_tests } = await story.app.sandbox.control.labTests();
      return lab_tests.map(({ id }) => id);
    },
    '/labs/areas': () => ['?zip_code=10001'],
    '/labs/places': () => ['?zip_code=10001&lab_id=6'],
    '/orders/{order_id}/places': () => [story.orderId],
    '/orders': () => ['?limit=500'],
    '/orders/{order_id}': () => [story.orderId],
    '/order-transactions': () => ['?limit=500'],
    '/order-transactions/{id}': () => [story.transactionId],
    '/lab-work': () => ['?limit=500'],
    '/orders/{order_id}/notifications': () => [story.orderId],
    '/orders/{order_id}/result/changes': () => [story.orderId],
    '/order-transactions/{id}/result/changes': () => [story.transactionId],
    '/parsing-jobs': () => ['?limit=500'],
    '/unmatched-results': () => ['?limit=500'],
    '/unmatched-results/{id}': () => [story.unmatchedId],
  };

  it('shows none of its values, names and tokens to a viewer on any route', async () => {
    const { paths } = (await story.app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const forViewers = Object.entries(paths)
      .filter(([, { get }]) => (get as { 'x-roles'?: string[] } | undefined)?.['x-roles']?.includes('viewer'))
      .map(([path]) => path.replace('/admin/v1', ''));
    expect(forViewers.filter((path) => !Object.hasOwn(asked, path))).toEqual([]);
    const shown: string[] = [];
    for (const path of forViewers) {
      for (const part of (await asked[path]?.()) ?? []) {
        const [parameter = '', query] = path.includes('{') ? part.split('?') : ['', part.slice(1)];
        const full = `${path.replace(/\{\w+\}/, parameter)}${query ? `?${query}` : ''}`;
        const address = full.startsWith('/v1/') ? full : `/admin/v1${full}`;
        const { status, body } = await story.app.call('GET', address, 'Bearer viewer-key');
        expect([full, status]).toEqual([full, 200]);
        shown.push(...story.secrets.in(JSON.stringify(body)).map((kind) => `${kind} in ${path}`));
      }
    }
    expect(shown).toEqual([]);
  });
});

describe('a person who is exported and erased', () => {
  const story = new Story();

  beforeAll(() => story.begin());
  afterAll(() => story.close());

  it('is in no line of the log, no metric, no header and no error, even after late data', async () => {
    await story.signsUp();
    await story.measures();
    await story.orders();
    await story.resultsCome();
    expect(await story.operator('GET', `/accounts/${story.account}/export`)).toBe(200);
    const late = await story.app.sandbox.control.messages();
    expect(await story.operator('DELETE', `/accounts/${story.account}`)).toBe(202);
    for (const { id } of late.messages) await story.app.sandbox.control.replay({ message_id: id });
    await story.app.settle();
    await story.asksForMuch();
    await story.app.advance(9 * 86_400, 9);
    expect(story.watched.logged().some((event) => event.startsWith('erasure.'))).toBe(true);
    expect(await story.watched.leaks()).toEqual([]);
  });
});
