import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string & { code?: string };
}

const megabyte = 1_048_576;

describe('PDFs of results with RESULT_PDFS=store', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeAll(async () => {
    app = await TestApp.create({ env: { RESULT_PDFS: 'store' } });
  });

  beforeEach(async () => {
    account_id = newAccountId();
    user_id = (await app.as<{ user_id: string }>(account_id, 'POST', '/me/sign-in-token', {})).body.user_id;
  });

  afterEach(async () => {
    await app.sandbox.control.clearFaults();
    await app.wait(3_600);
  });

  afterAll(() => app.close());

  async function completed(): Promise<string> {
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id);
    await app.settle();
    return order.id;
  }

  const read = (order: string): Promise<Answer> =>
    app.admin('GET', `/orders/${order}/result/pdf`, undefined, 'reader') as unknown as Promise<Answer>;
  const isDown = (order: string): Promise<unknown> =>
    app.sandbox.control.fault({ kind: 'status', status: 503, path: `/v3/order/${order}/result/pdf` });
  const stored = (order: string): Promise<{ version: number; bytes: number }[]> =>
    app.store.reader.rows(
      'SELECT version, LENGTH(content) AS bytes FROM result_pdfs WHERE subject_id = ? ORDER BY version',
      [order],
    );

  it('are returned while upstream is unavailable, with their age', async () => {
    const order = await completed();
    const fresh = await read(order);
    expect([fresh.status, fresh.headers['age']]).toEqual([200, undefined]);
    expect(await stored(order)).toMatchObject([{ version: 1 }]);
    await app.wait(90);
    await isDown(order);
    const kept = await read(order);
    expect([kept.status, kept.headers['age'], kept.headers['content-type']]).toEqual([200, '90', 'application/pdf']);
    expect(kept.body).toBe(fresh.body);
  });

  it('are stored once a version, and again once they change', async () => {
    const order = await completed();
    for (const pdf_bytes of [1_000, 1_000, 2_000]) {
      await app.sandbox.control.setResult(order, { pdf_bytes });
      await read(order);
    }
    expect(await stored(order)).toEqual([
      { version: 1, bytes: 1_000 },
      { version: 2, bytes: 2_000 },
    ]);
  });

  it('are not returned once withdrawn, and never one that broke off or is too large', async () => {
    const order = await completed();
    await app.sandbox.control.setResult(order, { pdf_bytes: 17 * megabyte });
    expect((await read(order)).status).toBe(200);
    await isDown(order);
    expect(await read(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.sandbox.control.clearFaults();
    await app.wait(3_600);
    await app.sandbox.control.setResult(order, { pdf_bytes: 4 * megabyte, pdf_break_after: megabyte });
    await read(order).catch(() => undefined);
    expect(await stored(order)).toEqual([]);
    await app.sandbox.control.setResult(order, { pdf_bytes: 1_000, pdf_break_after: null });
    await read(order);
    expect(await stored(order)).toHaveLength(1);
    await app.sandbox.control.setResult(order, { withdrawn: true });
    expect(await read(order)).toMatchObject({ status: 404, body: { code: 'result_not_ready' } });
    await isDown(order);
    expect(await read(order)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
  });

  it('are in the export of their person, and are deleted with it', async () => {
    const order = await completed();
    const { body } = await read(order);
    const exported = await app.admin<string>('GET', `/accounts/${account_id}/export`, undefined, 'reader');
    const line = exported.body.split('\n').find((text) => text.includes('"result_pdf"')) ?? '{}';
    const { data } = JSON.parse(line) as { data?: { subject_id: string; content_base64: string } };
    expect([data?.subject_id, Buffer.from(data?.content_base64 ?? '', 'base64').toString()]).toEqual([order, body]);
    await app.admin('DELETE', `/accounts/${account_id}`);
    await app.settle();
    expect(await stored(order)).toEqual([]);
  });
});
