import { generateKeyPairSync } from 'node:crypto';
import { newId } from '../../../../src/platform/platform/ids.js';
import { TransportTuning } from '../../../../src/upstream/transport/transport-tuning.js';
import { appSecret, type Environment, webhookSecret } from '../../../support/environment.js';
import { orderBody } from '../../../support/ordering.js';
import { Marks } from './marks.js';
import { Watched } from './watched.js';

const json = { 'content-type': 'application/json' };

/** Upstream's key of these tests; it is nowhere but in the header of a call. */
const apiKey = `sk_us_${newId().replaceAll('-', '')}`;

const signingKey = generateKeyPairSync('ed25519')
  .privateKey.export({ format: 'der', type: 'pkcs8' })
  .toString('base64');

/** An operator may see it among the settings of an account. */
const birthDate = '1951-07-19';

/** Resources with a value of each kind: summary, number, pair, text. */
const resources = ['sleep', 'heartrate', 'blood_pressure', 'note'];

/**
 * A person whose data is all marked, and the possible actions on it. `secrets` may only be shown to callers with the
 * right to see them; `names` identify the person, which operators may see but logs must not contain.
 */
export class Story {
  readonly secrets = new Marks();
  readonly names = new Marks();
  readonly account = this.names.text('an account id');
  userId = '';
  orderId = '';
  transactionId = '';
  unmatchedId = '';
  watched!: Watched;

  async begin(env: Environment = {}): Promise<void> {
    this.secrets.known('the upstream key', apiKey);
    this.secrets.known('the webhook secret', webhookSecret.replace('whsec_', ''));
    this.secrets.known('the secret of access tokens', appSecret);
    this.secrets.known('the key of checkpoints', signingKey);
    for (const role of ['viewer', 'reader', 'operator']) this.secrets.known('an admin key', `${role}-key`);
    this.watched = await Watched.create([this.secrets, this.names], {
      env: { UPSTREAM_API_KEY: apiKey, ACCESS_LOG_KEY: signingKey, SYNC_RESOURCES: resources.join(','), ...env },
      sandbox: { apiKey },
    });
    const tuning = this.app.get(TransportTuning);
    tuning.sleep = async () => undefined;
  }

  get app(): Watched['app'] {
    return this.watched.app;
  }

  /** A request of the person's app; answers what came, of which errors are looked at for leaks. */
  async person(method: string, path: string, body?: unknown): Promise<number> {
    const token = this.secrets.known('an access token', await this.app.appToken(this.account));
    return this.request(`Bearer ${token}`, method, `/v1${path}`, body);
  }

  async operator(method: string, path: string, body?: unknown): Promise<number> {
    return this.request('Bearer operator-key', method, `/admin/v1${path}`, body);
  }

  private request(authorization: string, method: string, path: string, body?: unknown): Promise<number> {
    const headers = {
      authorization,
      'idempotency-key': this.secrets.text('an idempotency key'),
      ...(body ? json : {}),
    };
    return this.watched.send({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }

  /** First login, a source linked, and what the app says of it. */
  async signsUp(): Promise<void> {
    const { app, secrets, names, account } = this;
    const login = await app.as(account, 'POST', '/me/sign-in-token', {
      installation_id: names.text('an installation'),
    });
    this.userId = names.known('an upstream user', String(login.body['user_id']));
    secrets.known('a sign-in token', String(login.body['sign_in_token']));
    const redirect_url = `https://app.example.com/done?session=${secrets.text('the query of a redirect')}`;
    const link = await app.as(account, 'POST', '/me/link-token', { provider: 'oura', redirect_url });
    const link_token = secrets.known('a link token', String(link.body['link_token']));
    secrets.known('the hosted page', String(link.body['link_web_url']));
    const pulls = {
      mindfulness_minutes: { outcome: 'failure', error: `Not readable: ${secrets.text('why a pull failed')}` },
    } as const;
    await app.sandbox.control.link({ link_token, provider: 'oura', history: { days: 2, per_day: 2 }, pulls });
    const metadata = { user: { email: names.address('an address in metadata'), note: secrets.text('metadata') } };
    await app.as(account, 'POST', '/me/link-outcomes', { outcome: 'error', error_type: 'x', metadata });
    await app.advance(900, 10);
  }

  /** Marked data of every kind, sent by an event now and pulled again later. */
  async measures(): Promise<void> {
    const { control } = this.app.sandbox;
    const source = { user_id: this.userId, provider: 'oura' };
    const at = new Date(this.app.clock.now()).toISOString();
    const { secrets } = this;
    const points: [string, object][] = [
      ['heartrate', { timestamp: at, value: secrets.number('a heart rate'), remark: secrets.text('an unknown field') }],
      ['note', { start: at, value: secrets.text('a note') }],
      [
        'blood_pressure',
        { timestamp: at, systolic: secrets.number('systolic'), diastolic: secrets.number('diastolic') },
      ],
    ];
    for (const [resource, point] of points) {
      await control.put({ ...source, resource, points: [{ ...point }] });
    }
    const bedtime = { bedtime_start: at, bedtime_stop: at };
    const night = { ...bedtime, average_hrv: secrets.number('a night'), remark: secrets.text('a remark of a night') };
    await control.put({ ...source, resource: 'sleep', summaries: [night] });
    await this.app.settle();
  }

  /** An order with marked names, numbers and addresses. */
  async orders(): Promise<number> {
    const { secrets, names } = this;
    const plain = await orderBody(this.app.sandbox.control);
    const patient_details = {
      ...(plain['patient_details'] as object),
      first_name: secrets.text('a first name'),
      last_name: secrets.text('a last name'),
      email: secrets.address('the e-mail of a patient'),
      phone_number: secrets.known('a phone number', '+12025550198'),
      dob: names.known('a birth date', birthDate),
    };
    const first_line = secrets.text('a street');
    const patient_address = { ...(plain['patient_address'] as object), first_line, city: secrets.text('a city') };
    const body = { ...plain, account_id: this.account, patient_details, patient_address };
    return this.operator('POST', '/orders/place', { ...body, clinical_notes: secrets.text('clinical notes') });
  }

  /** Upstream's data about the orders, once it exists. */
  async resultsCome(): Promise<void> {
    const { orders } = await this.app.sandbox.control.truthOrders();
    const order = orders.find(({ user_id }) => user_id === this.userId);
    this.orderId = String(order?.id);
    this.transactionId = String(order?.order_transaction_id);
    const { control } = this.app.sandbox;
    const { secrets } = this;
    const remark = {
      lab_remark: secrets.text('a field of a result'),
      interpretation: secrets.text('an interpretation'),
    };
    const value = secrets.number('a lab value');
    const results = [
      { name: secrets.text('a marker'), slug: 'hemoglobin', value, result: String(value), type: 'numeric' },
    ];
    await control.walkOrder(this.orderId);
    await control.setResult(this.orderId, { results, metadata: remark, fields: { remark: secrets.text('a remark') } });
    await control.critical(this.orderId);
    const patient = {
      first_name: secrets.text('a patient to match'),
      last_name: 'x',
      dob: birthDate,
      gender: 'female',
    };
    const fields = {
      patient,
      reason: secrets.text('a reason to review'),
      markers: [{ name: secrets.text('a marker') }],
    };
    const { unmatched_result } = await control.createUnmatchedResult({ order_ids: [this.orderId], fields });
    this.unmatchedId = unmatched_result.id;
    await this.app.settle();
    await this.app.advance(60);
  }

  /** Every request that calls upstream synchronously, valid and invalid. */
  async asksForMuch(): Promise<number[]> {
    const { account, transactionId, orderId } = this;
    const site = this.secrets.text('a site');
    return [
      await this.person('POST', '/me/sign-in-token', {}),
      await this.person('POST', '/me/link-token', { provider: 'oura' }),
      await this.person('GET', '/me/today'),
      await this.person('GET', '/me/latest'),
      await this.person('GET', '/me/daily?resources=heartrate,blood_pressure'),
      await this.person('GET', '/me/hourly?resources=heartrate'),
      await this.person('POST', '/labs/availability', { lab: 'quest', site_codes: [site], start_date: '2026-11-21' }),
      await this.person('POST', '/labs/compendium/search', { mode: 'canonical', query: this.secrets.text('a search') }),
      await this.person('POST', '/labs/compendium/convert', {
        target_lab: 'quest',
        provider_ids: [this.secrets.text('a test')],
      }),
      await this.operator('POST', '/accounts', { account_id: this.names.text('an account id') }),
      await this.operator('PATCH', `/accounts/${account}`, { fallback_birth_date: birthDate }),
      await this.operator('POST', `/accounts/${account}/sync`, {}),
      await this.operator('POST', '/accounts/import'),
      await this.operator('POST', '/messages/replay', { status: 'dead' }),
      await this.operator('POST', '/sync/recover', { from: '2026-11-19T00:00:00Z', to: '2026-11-20T00:00:00Z' }),
      await this.operator('POST', '/audits', {
        account_id: account,
        first_day: '2026-11-10',
        last_day: '2026-11-20',
      }),
      await this.operator('POST', `/order-transactions/${transactionId}/refresh`),
      await this.operator('GET', `/order-transactions/${transactionId}/result`),
      await this.operator('GET', `/order-transactions/${transactionId}/result/pdf`),
      await this.operator('GET', `/orders/${orderId}/result`),
      await this.operator('GET', `/orders/${orderId}/result/pdf`),
      await this.operator('GET', `/orders/${orderId}/requisition.pdf`),
      await this.operator('GET', `/orders/${orderId}/abn.pdf`),
      await this.operator('POST', '/orders', { account_id: account, order_id: newId() }),
      await this.operator('GET', `/unmatched-results/${this.unmatchedId}`),
      await this.orders(),
      await this.report(),
      await this.operator('POST', `/orders/${orderId}/cancel`),
    ];
  }

  /** A person uploads a lab report. */
  private async report(): Promise<number> {
    const headers = {
      authorization: `Bearer ${await this.app.appToken(this.account)}`,
      'idempotency-key': this.secrets.text('a key of a report'),
      'content-type': 'multipart/form-data; boundary=canary',
    };
    const disposition = `content-disposition: form-data; name="file"; filename="${this.secrets.text('a file name')}"`;
    const file = `%PDF-1.4 ${this.secrets.text('a lab report')}`;
    const body = `--canary\r\n${disposition}\r\ncontent-type: application/pdf\r\n\r\n${file}\r\n--canary--\r\n`;
    return this.watched.send({ method: 'POST', path: '/v1/me/lab-reports', headers, body });
  }

  /** The source fails with a long reason from upstream. */
  async breaks(): Promise<void> {
    const why = { error_type: 'token_refresh_failed', message: this.secrets.text('why a source broke') };
    await this.app.sandbox.control.breakConnection({ user_id: this.userId, provider: 'oura', ...why });
    await this.app.advance(60);
  }

  close(): Promise<void> {
    return this.watched.close();
  }
}
