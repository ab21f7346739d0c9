import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Body {
  id: string;
  status: string;
  replayed: boolean;
  code: string;
  read: { due_at: string | null } | null;
  content: { data: { results: { test_name: string }[] } | null };
  errors: { field: string; message: string }[];
}

interface Told {
  status: number;
  body: Body;
}

const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n%%EOF\n');
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const parser = '/lab_report/v1/parser/job';
const megabyte = 1_048_576;

let app: TestApp;
let account_id: string;
let keys = 0;

beforeAll(async () => {
  app = await TestApp.create();
});

beforeEach(async () => {
  account_id = newAccountId();
  await app.as(account_id, 'POST', '/me/sign-in-token', {});
  await app.sandbox.control.clearCalls();
});

afterEach(() => app.sandbox.control.clearFaults());

afterAll(() => app.close());

const newKey = (): string => `report-${(keys += 1)}`;
const uploads = (): Promise<number> => app.callsTo('POST /lab_report/v1/parser/job');

function formOf(files: readonly Buffer[], fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  // The sender's own type and name are not believed.
  for (const file of files)
    form.append('file', new Blob([new Uint8Array(file)], { type: 'text/plain' }), 'A. Patient.txt');
  return form;
}

async function send(path: string, token: string, key: string | null, body: FormData | string): Promise<Told> {
  const headers = { authorization: `Bearer ${token}`, ...(key === null ? {} : { 'idempotency-key': key }) };
  const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as Body };
}

const own = async (files: readonly Buffer[], key: string | null = newKey(), fields = {}): Promise<Told> =>
  send('/v1/me/lab-reports', await app.appToken(account_id), key, formOf(files, fields));

const readOwn = (id: string, account = account_id): Promise<Told> =>
  app.as<Body>(account, 'GET', `/me/lab-reports/${id}`);

const stateOfKeys = (): Promise<{ state: string }[]> =>
  app.store.reader.rows(
    'SELECT state FROM idempotency_keys WHERE account_id = (SELECT id FROM accounts WHERE account_id = ?)',
    [account_id],
  );

describe('a lab report', () => {
  it('is uploaded by its person, and its job is known and followed [parsing#upload]', async () => {
    const { status, body } = await own([pdf], newKey(), { needs_human_review: 'true' });
    expect([status, body]).toMatchObject([202, { status: 'upload_pending', replayed: false }]);
    expect(body.read?.due_at).not.toBeNull();
    const { uploaded } = await app.sandbox.control.parsingJob(body.id);
    expect(uploaded).toEqual({
      needs_human_review: true,
      files: [{ name: 'report.pdf', type: 'application/pdf', bytes: pdf.length }],
    });
    await app.sandbox.control.setParsingJob(body.id, {
      status: 'completed',
      data: { metadata: {}, results: [{ test_name: 'Ferritin', value: '42' }] },
    });
    await app.advance(600, 2);
    expect(await readOwn(body.id)).toMatchObject({
      status: 200,
      body: { status: 'completed', read: null, content: { data: { results: [{ test_name: 'Ferritin' }] } } },
    });
  });

  it('is uploaded by the backend for an account that exists', async () => {
    const path = (account: string): string => `/v1/accounts/${account}/lab-reports`;
    const made = await send(path(account_id), 'backend-key', newKey(), formOf([jpeg, png]));
    expect([made.status, made.body.status]).toEqual([202, 'upload_pending']);
    const { uploaded } = await app.sandbox.control.parsingJob(made.body.id);
    expect(uploaded?.files).toMatchObject([
      { name: 'page-1.jpg', type: 'image/jpeg' },
      { name: 'page-2.png', type: 'image/png' },
    ]);
    const read = { authorization: 'Bearer backend-key' };
    expect(await app.call('GET', `${path(account_id)}/${made.body.id}`, read)).toMatchObject({ status: 200 });
    const stranger = newAccountId();
    expect(await send(path(stranger), 'backend-key', newKey(), formOf([pdf]))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    await app.as(stranger, 'POST', '/me/sign-in-token', {});
    for (const answer of [
      await app.call<Body>('GET', `${path(stranger)}/${made.body.id}`, read),
      await readOwn(made.body.id, stranger),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });

  it('is uploaded once for a key of its person, whose keys are their own', async () => {
    const key = newKey();
    const first = await own([pdf], key);
    expect(await own([pdf], key)).toMatchObject({ status: 202, body: { id: first.body.id, replayed: true } });
    expect(await uploads()).toBe(1);
    expect(await own([png], key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    account_id = newAccountId();
    const other = await own([png], key);
    expect([other.status, other.body.replayed]).toEqual([202, false]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it.each(['drop_after', 'fail_after', 'timeout'] as const)(
    'is not uploaded again after %s, when it is unknown whether it was',
    async (kind) => {
      const key = newKey();
      await app.sandbox.control.fault({ kind, path: parser, method: 'POST', delay_ms: 1, times: 1 });
      const lost = await own([pdf], key);
      expect([lost.status, lost.body.code]).toEqual([503, 'upstream_unavailable']);
      const again = await own([pdf], key);
      expect([again.status, again.body.code]).toEqual([409, 'conflict']);
      expect(await uploads()).toBe(1);
      expect(await stateOfKeys()).toEqual([{ state: 'unknown' }]);
      await app.run(AlarmsWorker);
      const { body } = await app.admin<{ data: { code: string }[] }>('GET', '/alarms');
      expect(body.data.map((alarm) => alarm.code)).toContain('uploads_unknown');
    },
  );

  it.each([
    [400, 422, 'upstream_invalid_request'],
    [413, 413, 'payload_too_large'],
    [401, 502, 'upstream_rejected'],
    [429, 503, 'upstream_throttled'],
  ])('that upstream refuses with %i was not uploaded, and the key stays free', async (upstream, status, code) => {
    const key = newKey();
    await app.sandbox.control.fault({ kind: 'status', status: upstream, path: parser, method: 'POST', times: 1 });
    const refused = await own([pdf], key);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(await stateOfKeys()).toEqual([{ state: 'refused' }]);
    expect((await own([png], key)).status).toBe(202);
  });

  it.each<[string, Buffer[], object, number, string]>([
    ['no file', [], {}, 400, 'invalid_request'],
    ['an empty file', [Buffer.alloc(0)], {}, 400, 'invalid_request'],
    ['another type', [Buffer.from('<html>')], {}, 415, 'unsupported_media_type'],
    ['a PDF among images', [png, pdf], {}, 400, 'invalid_request'],
    ['nine images', Array.from({ length: 9 }, () => png), {}, 400, 'invalid_request'],
    ['an unknown field', [pdf], { user_id: 'somebody' }, 400, 'invalid_request'],
    ['another word than true or false', [pdf], { needs_human_review: 'yes' }, 400, 'invalid_request'],
  ])('with %s is refused before the upload [parsing#limits]', async (_, files, fields, status, code) => {
    const answer = await own(files, newKey(), fields);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await uploads()).toBe(0);
    expect(await stateOfKeys()).toEqual([]);
  });

  it('that is too large is refused before the upload, and one of 29 MiB is taken [parsing#limits]', async () => {
    const large = (bytes: number): Buffer => Buffer.concat([pdf, Buffer.alloc(bytes - pdf.length)]);
    expect(await own([large(30 * megabyte + 1)])).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(await uploads()).toBe(0);
    expect((await own([large(29 * megabyte)])).status).toBe(202);
  });

  it('needs a key, a form, and a route that takes one', async () => {
    expect(await own([pdf], null)).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
    const token = await app.appToken(account_id);
    const post = async (path: string, type: string, body: FormData | string): Promise<[number, string]> => {
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': newKey(), 'content-type': type };
      const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as Body).code];
    };
    const report = '/v1/me/lab-reports';
    expect(await post(report, 'application/pdf', pdf.toString())).toEqual([415, 'unsupported_media_type']);
    expect(await post(report, 'application/json', '{}')).toEqual([415, 'unsupported_media_type']);
    expect(await post(report, 'multipart/form-data; boundary=x', 'no form')).toEqual([400, 'invalid_request']);
    const elsewhere = await post('/v1/me/sign-in-token', 'multipart/form-data; boundary=x', 'no form');
    expect(elsewhere).toEqual([415, 'unsupported_media_type']);
  });

  it('is nowhere in the database, the log or the access log', async () => {
    const secret = 'canary-of-a-report';
    const { body } = await own([Buffer.concat([pdf, Buffer.from(secret)])]);
    expect(body.id).not.toBe('');
    expect(app.logs.filter((line) => line.includes(secret) || line.includes('A. Patient'))).toEqual([]);
    const tables = ['idempotency_keys', 'parsing_jobs', 'access_log', 'access_log_pending'];
    for (const table of tables) {
      const rows = JSON.stringify(await app.store.reader.rows(`SELECT * FROM ${table}`));
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain('A. Patient');
    }
  });
});
