import { createPrivateKey } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { decodeJwt } from 'jose';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { openApiDocument } from '../../../src/app/openapi/openapi.js';
import { PullRequests } from '../../../src/ingest/pulls/pull-requests.service.js';
import { Receiver } from '../../changes/subscriptions/support/receiver.js';
import { DAY } from '../../support/environment.js';
import { orderBody } from '../../support/ordering.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';
import { Recorder, type Sent } from './recorder.js';

/*
 * Calls every operation of the service once on synthetic people at a clock that stands still, for the examples of the
 * OpenAPI document. A new route needs a line here.
 */

const person = 'demo-user-01';
const operator = 'Bearer operator-key';

/** A key of this test alone: ed25519 in PKCS 8, from a seed of zeros. */
const checkpointKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32)]),
  format: 'der',
  type: 'pkcs8',
})
  .export({ format: 'der', type: 'pkcs8' })
  .toString('base64');

const resources = [
  'activity',
  'blood_pressure',
  'body',
  'electrocardiogram',
  'heartrate',
  'meal',
  'menstrual_cycle',
  'profile',
  'sleep',
  'sleep_cycle',
  'steps',
  'workouts',
];

export interface Walked {
  /** The document of the service with what it was sent and answered on the walk. */
  readonly document: OpenAPIObject;
  /** The document as the service serves it, with the examples of `openapi.json`. */
  readonly served: OpenAPIObject;
}

export async function walk(): Promise<Walked> {
  const app = await TestApp.create({
    env: {
      SYNC_RESOURCES: resources.join(','),
      // One pull after the other, so that every run numbers the rows alike.
      UPSTREAM_MAX_CONCURRENCY: '1',
      SYNC_BACKFILL_DAYS: '90',
      ACCESS_LOG_KEY: checkpointKey,
      AUDIT_REPORT_KEYS: checkpointKey,
      APP_RESULTS: 'final',
      PUSH_SIGNING_KEYS: 'a-key-of-the-walk-alone-0123456789abcdef',
      PUSH_ALLOWED_NETWORKS: '127.0.0.1',
    },
    sandbox: { seed: 'demo' },
  });
  try {
    const recorder = new Recorder(app);
    await new Walk(app, recorder).all();
    const made = openApiDocument(app.pulsekeep.app, recorder.examples);
    const served = await app.call<OpenAPIObject>('GET', '/openapi.json');
    return { document: JSON.parse(JSON.stringify(made)) as OpenAPIObject, served: served.body };
  } finally {
    await app.close();
  }
}

/** A lab report as a form. */
const reportForm = {
  type: 'multipart/form-data; boundary=report',
  body:
    '--report\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n' +
    'content-type: application/pdf\r\n\r\n%PDF-1.4\r\n--report--\r\n',
};

interface Id {
  readonly id: string;
}

class Walk {
  private user = '';

  constructor(
    private readonly app: TestApp,
    private readonly recorder: Recorder,
  ) {}

  async all(): Promise<void> {
    await this.signsIn();
    await this.probes();
    await this.records();
    await this.account();
    await this.sync();
    await this.messages();
    await this.labs();
    await this.unmatchedResults();
    await this.operations();
    await this.subscriptions();
    await this.erasure();
  }

  private async own<T>(operation: string, sent: Sent = {}): Promise<T> {
    return this.recorder.call<T>(operation, `Bearer ${await this.app.appToken(person)}`, sent);
  }

  private admin<T>(operation: string, sent: Sent = {}): Promise<T> {
    return this.recorder.call<T>(operation, operator, sent);
  }

  private async probes(): Promise<void> {
    for (const path of ['/livez', '/readyz', '/metrics', '/fhir/metadata', '/.well-known/jwks.json'])
      await this.recorder.call(`GET ${path}`, null);
  }

  private async signsIn(): Promise<void> {
    await this.admin('POST /admin/v1/accounts', {
      body: { account_id: person, fallback_time_zone: 'Europe/Berlin', fallback_birth_date: '1980-02-03' },
    });
    const login = await this.own<{ user_id: string }>('POST /v1/me/sign-in-token', {
      body: { installation_id: 'phone-1' },
    });
    this.user = login.user_id;
    const link = await this.own<{ link_token: string; link_attempt_id: string }>('POST /v1/me/link-token', {
      body: { provider: 'oura', redirect_url: 'https://app.example.com/linked' },
    });
    const history = { days: 30, per_day: 2 };
    await this.app.sandbox.control.link({ link_token: link.link_token, provider: 'oura', history, resources });
    await this.own('POST /v1/me/link-outcomes', {
      body: { link_attempt_id: link.link_attempt_id, outcome: 'success' },
    });
    const others = ['withings', 'apple_health_kit'];
    for (const provider of others) await this.app.sandbox.control.connect({ user_id: this.user, provider, history });
    await this.app.advance(3_600, 6);
    const source = { path: [person] };
    await this.admin('POST /admin/v1/accounts/{account_id}/sign-in-token', { ...source, body: {} });
    await this.admin('POST /admin/v1/accounts/{account_id}/link-token', { ...source, body: { provider: 'fitbit' } });
    await this.admin('GET /admin/v1/link-attempts', { query: { limit: 2 } });
    for (let more = 0; more < 12; more++) await this.app.as(person, 'POST', '/me/sign-in-token', {});
    await this.admin('GET /admin/v1/frequent-sign-ins');
    await this.admin('GET /admin/v1/token-issuance');
    await this.admin('PUT /admin/v1/token-issuance', { body: { open: true } });
  }

  private async records(): Promise<void> {
    await this.own('GET /v1/me');
    await this.own('PATCH /v1/me', { body: { time_zone: 'Europe/Berlin' } });
    await this.own('GET /v1/me/today');
    await this.own('GET /v1/me/latest', { query: { resources: 'heartrate,blood_pressure' } });
    const days = { resources: 'steps,heartrate', first_day: '2026-11-18', last_day: '2026-11-19' };
    await this.own('GET /v1/me/explain', { query: { resource: 'sleep', day: '2026-11-01' } });
    await this.own('GET /v1/me/daily', { query: days });
    await this.own('GET /v1/me/hourly', { query: { ...days, resources: 'steps' } });
    const one = { path: [person] };
    await this.admin('GET /v1/accounts/{account_id}', one);
    await this.admin('GET /v1/accounts/{account_id}/today', one);
    await this.admin('GET /v1/accounts/{account_id}/latest', { ...one, query: { resources: 'blood_pressure' } });
    await this.admin('GET /v1/accounts/{account_id}/daily', {
      ...one,
      query: { ...days, resources: 'blood_pressure' },
    });
    await this.admin('GET /v1/accounts/{account_id}/hourly', { ...one, query: { ...days, resources: 'heartrate' } });
    await this.admin('GET /v1/accounts/{account_id}/records/{resource}', {
      path: [person, 'steps'],
      query: { limit: 2 },
    });
    await this.own('GET /v1/me/records/{resource}', { path: ['sleep'], query: { limit: 2 } });
    await this.admin('GET /admin/v1/accounts/{account_id}/records/{resource}', {
      path: [person, 'blood_pressure'],
      query: { limit: 2 },
    });
    await this.app.sandbox.control.announceStream({ user_id: this.user, points: 3 });
    await this.app.advance(600, 2);
    await this.admin('GET /admin/v1/sync/workout-series');
  }

  private async account(): Promise<void> {
    const account = { path: [person] };
    await this.admin('GET /admin/v1/accounts', { query: { limit: 2 } });
    await this.admin('GET /admin/v1/accounts/{account_id}', account);
    await this.admin('PATCH /admin/v1/accounts/{account_id}', {
      ...account,
      body: { fallback_time_zone: 'Europe/Madrid' },
    });
    await this.admin('GET /admin/v1/accounts/{account_id}/coverage', account);
    await this.admin('GET /admin/v1/accounts/{account_id}/timeline', { ...account, query: { limit: 2 } });
    await this.admin('GET /admin/v1/search', { query: { q: person } });
    await this.admin('GET /admin/v1/accounts/{account_id}/explain', {
      ...account,
      query: { resource: 'sleep', day: '2026-11-19' },
    });
    await this.admin('GET /admin/v1/accounts/{account_id}/explanations', { ...account, query: { day: '2026-11-19' } });
    await this.admin('POST /admin/v1/accounts/{account_id}/block', account);
    await this.admin('POST /admin/v1/accounts/{account_id}/unblock', account);
    await this.app.sandbox.control.createUsers({ client_user_id: 'known-upstream-only' });
    await this.admin('POST /admin/v1/accounts/import');
    await this.app.settle();
    const imports = await this.admin<{ data: { import_id: string }[] }>('GET /admin/v1/account-imports');
    const made = { path: [String(imports.data[0]?.import_id)] };
    await this.admin('GET /admin/v1/account-imports/{import_id}', made);
    await this.admin('GET /admin/v1/account-imports/{import_id}/differences', made);
    await this.admin('GET /admin/v1/accounts/{account_id}/export', account);
    await this.own('GET /v1/me/export');
  }

  private async sync(): Promise<void> {
    await this.admin('POST /admin/v1/accounts/{account_id}/sync', {
      path: [person],
      body: { resources: ['sleep'], start: '2026-11-01T00:00:00.000Z' },
    });
    const tasks = await this.admin<{ data: { id: number }[] }>('GET /admin/v1/sync/tasks', { query: { limit: 2 } });
    await this.admin('GET /admin/v1/sync/tasks/{id}', { path: [tasks.data[0]?.id ?? 0] });
    await this.admin('GET /admin/v1/sync/progress');
    const window = { from: '2026-11-18T06:00:00.000Z', to: '2026-11-19T18:00:00.000Z' };
    await this.admin('POST /admin/v1/sync/recover', { body: { ...window, dry_run: false } });
    await this.admin('POST /admin/v1/sync/recover', { body: { ...window, dry_run: true } });
    await this.app.settle();
    const recoveries = await this.admin<{ data: { recovery_id: string }[] }>('GET /admin/v1/sync/recoveries');
    await this.admin('GET /admin/v1/sync/recoveries/{recovery_id}', {
      path: [String(recoveries.data[0]?.recovery_id)],
    });
    const audit = { account_id: person, resource: 'steps', first_day: '2026-11-10', last_day: '2026-11-17' };
    const { audit_id } = await this.admin<{ audit_id: number }>('POST /admin/v1/audits', {
      body: { ...audit, report_only: true, repair_all: false },
    });
    await this.app.settle();
    await this.admin('GET /admin/v1/audits', { query: { account_id: person, limit: 2 } });
    await this.admin('GET /admin/v1/audits/{audit_id}', { path: [String(audit_id)] });
    await this.admin('GET /admin/v1/audits/{audit_id}/report', { path: [String(audit_id)] });
    await this.admin('POST /admin/v1/audits/{audit_id}/cancel', { path: [String(audit_id)] });
    await this.admin('GET /admin/v1/accounts/{account_id}/proofs', { path: [person], query: { limit: 2 } });
    await this.report(audit);
    await this.admin('GET /admin/v1/historical-pulls', { query: { limit: 2 } });
    await this.deletions();
    await this.priorities();
    await this.changes();
  }

  private async changes(): Promise<void> {
    const follower = 'Bearer feed-key';
    const page = await this.recorder.call<{ next: string }>('GET /v1/changes', follower, {
      query: { kinds: 'account,samples', limit: 2 },
    });
    await this.recorder.call('POST /v1/snapshots', follower, { body: { kinds: ['account'], account_id: person } });
    await this.recorder.call('PUT /v1/consumers/{name}/position', follower, {
      path: ['billing'],
      body: { cursor: page.next },
    });
    await this.admin('GET /admin/v1/consumers');
    await this.admin('DELETE /admin/v1/consumers/{name}', { path: ['billing'] });
  }

  private async priorities(): Promise<void> {
    const sources = [
      { provider: 'oura', type: 'ring' },
      { provider: 'apple_health_kit', type: null },
    ];
    await this.admin('GET /admin/v1/source-priorities');
    await this.admin('PATCH /admin/v1/source-priorities', { body: { data_type: 'activity', sources } });
    await this.admin('GET /admin/v1/accounts/{account_id}/source-priorities', { path: [person] });
    await this.admin('PATCH /admin/v1/accounts/{account_id}/source-priorities', {
      path: [person],
      body: { data_type: 'sleep', sources },
    });
  }

  /** Upstream loses half of what two resources hold. */
  private async deletions(): Promise<void> {
    const { id: account } = await this.app.get(AccountsService).get(person);
    const window = { start: this.app.clock.now() - 40 * DAY, end: this.app.clock.now() };
    for (const resource of ['steps', 'heartrate']) {
      await this.app.sandbox.control.remove({ user_id: this.user, provider: 'oura', resource });
      await this.app.wait(60);
      const pull = { account, provider: 'oura', resource, origin: 'operator', ...window } as const;
      await this.app.store.lane.run((tx) => this.app.get(PullRequests).request(tx, pull));
      await this.app.settle();
    }
    const { data } = await this.admin<{ data: { id: number }[] }>('GET /admin/v1/deletions', {
      query: { state: 'open' },
    });
    const [second, first] = data.map(({ id }) => ({ path: [id] }));
    await this.admin('POST /admin/v1/deletions/{id}/reject', {
      ...second,
      body: { reason: 'Upstream had an outage and will show them again.' },
    });
    await this.admin('POST /admin/v1/deletions/{id}/release', {
      ...first,
      body: { reason: 'Upstream confirmed that the data was deleted.' },
    });
  }

  private async messages(): Promise<void> {
    const event = {
      event_type: 'daily.data.steps.created',
      user_id: this.user,
      client_user_id: person,
      data: {
        user_id: this.user,
        source: { provider: 'oura', type: 'ring' },
        data: [
          {
            start: '2026-11-20T11:00:00+00:00',
            end: '2026-11-20T11:15:00+00:00',
            value: 412,
            unit: 'count',
            timezone_offset: 3600,
          },
        ],
      },
    };
    const { headers, body } = signedMessage('msg_2Yx1example', event, undefined, this.app.clock.now());
    await this.recorder.call('POST /webhooks', null, { headers, body });
    await this.app.settle();
    const message = { path: ['msg_2Yx1example'] };
    await this.admin('GET /admin/v1/messages', { query: { limit: 2 } });
    await this.admin('GET /admin/v1/messages/groups');
    await this.admin('GET /admin/v1/messages/{message_id}', message);
    await this.admin('POST /admin/v1/messages/{message_id}/replay', message);
    const replayed = { event_type: 'daily.data.steps.created' };
    await this.admin('POST /admin/v1/messages/replay', { body: { ...replayed, dry_run: true } });
    const { replay_id } = await this.admin<{ replay_id: number }>('POST /admin/v1/messages/replay', { body: replayed });
    const replay = { path: [String(replay_id)] };
    await this.app.settle();
    await this.admin('GET /admin/v1/messages/replays');
    await this.admin('GET /admin/v1/messages/replays/{replay_id}', replay);
    await this.admin('POST /admin/v1/messages/replays/{replay_id}/cancel', replay);
    await this.app.settle();
  }

  private async labs(): Promise<void> {
    const { control } = this.app.sandbox;
    const near = { lab: 'quest', zip_code: '10001', start_date: '2026-11-21' };
    const search = { mode: 'canonical', query: 'hemoglobin a1c', labs: ['quest', 'labcorp'] };
    const conversion = { provider_ids: ['120295'], target_lab: 'quest' };
    await this.own('POST /v1/labs/availability', { body: near });
    await this.own('POST /v1/labs/compendium/search', { body: search });
    await this.own('POST /v1/labs/compendium/convert', { body: conversion });
    const slots = await this.admin<{ slots: { slots: { booking_key: string }[] }[] }>(
      'POST /admin/v1/labs/availability',
      { body: near },
    );
    await this.admin('POST /admin/v1/labs/compendium/search', { body: search });
    await this.admin('POST /admin/v1/labs/compendium/convert', { body: conversion });
    const tests = await this.admin<{ data: Id[] }>('GET /admin/v1/labs/tests', { query: { limit: 2 } });
    const test = { path: [String(tests.data[0]?.id)] };
    await this.admin('GET /admin/v1/labs/tests/{lab_test_id}', test);
    const { lab_tests: all } = await control.labTests();
    const asking = { path: [String(all.find(({ slug }) => slug === 'hormone-panel')?.id)] };
    await this.admin('GET /admin/v1/labs/tests/{lab_test_id}/markers', asking);
    const area = { query: { zip_code: '10001', lab: 'quest' } };
    await this.own('GET /v1/labs/areas', area);
    await this.admin('GET /admin/v1/labs/areas', area);
    const around = { query: { zip_code: '10001', lab_id: 6 } };
    await this.own('GET /v1/labs/places', around);
    await this.admin('GET /admin/v1/labs/places', around);
    await this.admin('GET /admin/v1/labs/tests/{lab_test_id}/collection-instructions.pdf', test);
    const reasons = await this.admin<{ data: Id[] }>('GET /admin/v1/labs/cancellation-reasons');

    const placed = await this.admin<{ order_id: string }>('POST /admin/v1/orders/place', {
      headers: { 'idempotency-key': 'order-of-basket-7' },
      body: { ...(await orderBody(control)), account_id: person, passthrough: 'basket-7' },
    });
    const order = { path: [placed.order_id] };
    await control.walkOrder(placed.order_id, { to: 'requisition_created' });
    await control.setDocuments(placed.order_id, { has_abn: true });
    for (const document of ['requisition', 'labels', 'collection-instructions', 'abn']) {
      await this.admin(`GET /admin/v1/orders/{order_id}/${document}.pdf`, order);
      await this.own(`GET /v1/me/orders/{order_id}/${document}.pdf`, order);
    }
    await this.admin('GET /admin/v1/orders/{order_id}/places', order);
    await this.own('GET /v1/me/orders/{order_id}/places', order);
    const [first, second] = slots.slots[0]?.slots ?? [];
    await this.admin('POST /admin/v1/orders/{order_id}/appointment', {
      ...order,
      headers: { 'idempotency-key': 'appointment-of-basket-7' },
      body: { booking_key: first?.booking_key },
    });
    await this.app.advance(60);
    await this.admin('PATCH /admin/v1/orders/{order_id}/appointment', {
      ...order,
      body: { booking_key: second?.booking_key },
    });
    await this.app.advance(60);
    await this.admin('DELETE /admin/v1/orders/{order_id}/appointment', {
      ...order,
      body: { cancellation_reason_id: reasons.data[0]?.id, note: 'Travelling' },
    });
    await this.app.settle();
    await this.admin('POST /admin/v1/orders/{order_id}/cancel', order);
    await this.results();
  }

  private async replacement(): Promise<void> {
    const { control } = this.app.sandbox;
    const { order } = await control.createOrder({ user_id: this.user });
    await control.walkOrder(order.id, { to: 'sample_error' });
    await this.app.advance(60);
    await this.admin('POST /admin/v1/order-transactions/{id}/replaced', { path: [order.order_transaction.id] });
  }

  private async results(): Promise<void> {
    const { control } = this.app.sandbox;
    const { order } = await control.createOrder({ user_id: this.user, notify: false });
    await this.admin('POST /admin/v1/orders', { body: { account_id: person, order_id: order.id } });
    await control.walkOrder(order.id, { to: 'requisition_created' });
    const { redraw } = await control.redraw(order.id);
    const last = { path: [redraw.id] };
    const transaction = { path: [order.order_transaction.id] };
    await this.app.advance(60);
    await this.admin('POST /admin/v1/order-transactions/{id}/notified', { ...transaction, body: { how: 'phone' } });
    await this.admin('POST /admin/v1/order-transactions/{id}/told', { ...transaction, body: { how: 'phone' } });
    await control.walkOrder(redraw.id);
    await this.replacement();
    await control.critical(redraw.id);
    await this.app.advance(60);
    await this.admin('POST /admin/v1/orders/{order_id}/notified', { ...last, body: { how: 'phone' } });
    await this.admin('POST /admin/v1/orders/{order_id}/told', { ...last, body: { how: 'phone' } });
    await this.admin('GET /admin/v1/orders', { query: { limit: 2 } });
    await this.admin('GET /admin/v1/orders/{order_id}', last);
    await this.admin('GET /admin/v1/orders/{order_id}/result', last);
    const fhir = { headers: { accept: 'application/fhir+json' } };
    await this.admin('GET /admin/v1/orders/{order_id}/result', { ...last, ...fhir });
    await this.admin('GET /admin/v1/order-transactions/{id}', { ...transaction, ...fhir });
    await this.admin('GET /admin/v1/order-transactions/{id}/result', { ...transaction, ...fhir });
    await this.admin('GET /admin/v1/orders/{order_id}/result/pdf', last);
    await this.admin('GET /admin/v1/order-transactions', { query: { limit: 2 } });
    await this.admin('GET /admin/v1/order-transactions/{id}', transaction);
    await this.admin('POST /admin/v1/order-transactions/{id}/refresh', transaction);
    await this.admin('GET /admin/v1/order-transactions/{id}/result', transaction);
    await this.admin('GET /admin/v1/order-transactions/{id}/result/pdf', transaction);
    await this.own('GET /v1/me/orders');
    await this.own('GET /v1/me/order-transactions/{id}', transaction);
    await this.own('GET /v1/me/order-transactions/{id}/result', transaction);
  }

  private async unmatchedResults(): Promise<void> {
    const { control } = this.app.sandbox;
    const { order } = await control.createOrder({ user_id: this.user, notify: false });
    const announced = async (): Promise<string> => {
      const { unmatched_result } = await control.createUnmatchedResult({ order_ids: [order.id], notify: true });
      await this.app.settle();
      return unmatched_result.id;
    };
    const [first, second] = [await announced(), await announced()];
    const job = { id: 'job-1', order_id: order.id, status: 'completed', results: [{ name: 'Ferritin', result: '42' }] };
    const parsed = { event_type: 'lab_report.parsing_job.created', user_id: this.user, data: job };
    await control.send({ raw: JSON.stringify(parsed) });
    await this.app.settle();
    const report = {
      headers: { 'idempotency-key': 'report-7', 'content-type': reportForm.type },
      body: reportForm.body,
      shown: { file: ['report.pdf'], needs_human_review: false },
    };
    const mine = await this.own<Id>('POST /v1/me/lab-reports', report);
    await this.own('GET /v1/me/lab-reports/{job_id}', { path: [mine.id] });
    const asFhir = { headers: { accept: 'application/fhir+json' } };
    await this.own('GET /v1/me/lab-reports/{job_id}', { path: [mine.id], ...asFhir });
    const byBackend = { ...report, path: [person], headers: { ...report.headers, 'idempotency-key': 'report-8' } };
    const other = await this.admin<Id>('POST /v1/accounts/{account_id}/lab-reports', byBackend);
    await this.admin('GET /v1/accounts/{account_id}/lab-reports/{job_id}', { path: [person, other.id] });
    await this.admin('GET /v1/accounts/{account_id}/lab-reports/{job_id}', { path: [person, other.id], ...asFhir });
    await this.admin('GET /admin/v1/lab-work');
    await this.admin('GET /admin/v1/orders/{order_id}/notifications', { path: [order.id] });
    await this.admin('GET /admin/v1/orders/{order_id}/result/changes', { path: [order.id] });
    await this.admin('GET /admin/v1/order-transactions/{id}/result/changes', { path: [order.order_transaction.id] });
    await this.admin('GET /admin/v1/parsing-jobs', { query: { order_id: order.id } });
    await this.admin('GET /admin/v1/parsing-jobs/{id}', { path: [job.id] });
    await this.admin('GET /admin/v1/unmatched-results', { query: { waiting: true } });
    await this.admin('GET /admin/v1/unmatched-results/{id}', { path: [first] });
    await this.admin('POST /admin/v1/unmatched-results/{id}/accept', {
      path: [first],
      headers: { 'idempotency-key': 'decision-7' },
      body: { order_id: order.id, note: 'Same sample id' },
    });
    await this.admin('POST /admin/v1/unmatched-results/{id}/resolve', {
      path: [second],
      headers: { 'idempotency-key': 'decision-8' },
      body: { action: 'unsure' },
    });
    await this.app.settle();
  }

  private async operations(): Promise<void> {
    await this.app.sandbox.control.breakConnection({
      user_id: this.user,
      provider: 'withings',
      error_type: 'token_refresh_failed',
    });
    await this.app.sandbox.control.connect({ user_id: this.user, provider: 'fitbit', resources: ['steps'] });
    await this.app.advance(60);
    await this.admin('GET /admin/v1/overview');
    await this.admin('GET /admin/v1/overview/activity');
    await this.admin('GET /admin/v1/overview/forecast');
    await this.admin('GET /admin/v1/doctor');
    await this.admin('GET /admin/v1/sources', { query: { retired: 'true', limit: 2 } });
    const withings = { path: [person, 'withings'] };
    await this.admin('DELETE /admin/v1/accounts/{account_id}/sources/{provider}', withings);
    await this.own('DELETE /v1/me/sources/{provider}', { path: ['fitbit'] });
    const fitbit = { path: [person, 'fitbit'] };
    await this.admin('POST /admin/v1/accounts/{account_id}/sources/{provider}/disconnect', fitbit);
    await this.own('DELETE /v1/me/sources/{provider}', { path: ['apple_health_kit'] });
    const alarms = await this.admin<{ data: { code: string }[] }>('GET /admin/v1/alarms');
    const known = alarms.data.filter(({ code }) => code !== 'critical_results').at(-1)?.code;
    await this.admin('POST /admin/v1/alarms/{code}/ack', {
      path: [String(known)],
      body: { reason: 'Reported to upstream, expected on Monday.' },
    });
    const { session_id } = await this.admin<{ session_id: string }>('POST /admin/v1/sessions');
    await this.admin('GET /admin/v1/sessions');
    await this.admin('GET /admin/v1/sessions/current');
    await this.admin('GET /admin/v1/settings');
    await this.admin('DELETE /admin/v1/sessions/{session_id}', { path: [session_id] });
    const log = 'GET /admin/v1/access-log';
    await this.admin(log, { query: { limit: 2 } });
    for (const accept of ['application/x-ndjson', 'text/csv']) await this.admin(log, { headers: { accept } });
    await this.admin('GET /admin/v1/access-log/verification');
    const { checkpoint } = await this.admin<{ checkpoint: string }>('GET /admin/v1/access-log/checkpoint');
    const { seq, hash } = decodeJwt<{ seq: number; hash: string }>(checkpoint);
    await this.admin('POST /admin/v1/access-log/verification', { body: { noted: [{ seq, hash }] } });
  }

  private async report(query: { readonly first_day: string; readonly last_day: string }): Promise<void> {
    const text = await this.admin<string>('GET /admin/v1/audit-report', { query });
    const { report } = JSON.parse(String(text).trim().split('\n').at(-1) ?? '') as { report: string };
    const { report_id } = decodeJwt<{ report_id: string }>(report);
    await this.admin('GET /admin/v1/accounts/{account_id}/audit-ref', { path: [person], query: { report_id } });
  }

  private async subscriptions(): Promise<void> {
    const receiver = await Receiver.start();
    const route = '/admin/v1/subscriptions/{subscription_id}';
    const { subscription_id } = await this.admin<{ subscription_id: string }>('POST /admin/v1/subscriptions', {
      body: { url: receiver.url, description: 'our backend', kinds: ['account'] },
    });
    const made = { path: [subscription_id] };
    await this.admin(`POST ${route}/test`, made);
    await this.app.admin('POST', `/accounts/${person}/block`);
    await this.app.admin('POST', `/accounts/${person}/unblock`);
    await this.app.settle();
    await this.admin('GET /admin/v1/subscriptions');
    await this.admin(`GET ${route}`, made);
    await this.admin(`PATCH ${route}`, { ...made, body: { kinds: ['account', 'summary'], resources: ['sleep'] } });
    const { data } = await this.admin<{ data: { change_id: string }[] }>(`GET ${route}/pushes`, {
      ...made,
      query: { limit: 2 },
    });
    await this.admin(`POST ${route}/pushes/{change_id}/replay`, {
      path: [subscription_id, String(data[0]?.change_id)],
    });
    await this.admin(`POST ${route}/pushes/replay`, { ...made, body: { account_id: person } });
    await this.admin(`POST ${route}/rotate-secret`, { ...made, body: { previous_valid_hours: 48 } });
    await this.admin(`POST ${route}/disable`, made);
    await this.admin(`POST ${route}/enable`, { ...made, body: {} });
    await this.admin(`DELETE ${route}`, made);
    await receiver.close();
  }

  private async erasure(): Promise<void> {
    const gone = 'demo-user-02';
    const { user_id } = (await this.app.as(gone, 'POST', '/me/sign-in-token', {})).body;
    await this.app.sandbox.control.eraseUser(user_id);
    await this.app.settle();
    await this.admin('POST /admin/v1/accounts/{account_id}/relink', { path: [gone] });
    const receipt = await this.admin<{ erasure_id: string }>('DELETE /admin/v1/accounts/{account_id}', {
      path: [person],
    });
    await this.own('DELETE /v1/me');
    await this.app.settle();
    const erasure = { path: [receipt.erasure_id] };
    await this.admin('GET /admin/v1/erasures');
    await this.admin('GET /admin/v1/erasures/{erasure_id}', erasure);
    await this.admin('GET /admin/v1/erasure-fences/{account_id}', { path: [person] });
    await this.admin('DELETE /admin/v1/erasures/{erasure_id}/fence', erasure);
  }
}
