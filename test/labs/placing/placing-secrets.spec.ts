import { readFileSync } from 'node:fs';
import { newId } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { orderBody, place } from '../../support/ordering.js';
import { TestApp } from '../../support/test-app.js';

const mark = 'Marked7f3a';

describe('the body of an order', () => {
  let app: TestApp;
  const key = `${mark}-key-${newId()}`;

  beforeAll(async () => {
    app = await TestApp.create();
    await app.sandbox.control.configureWebhooks({ paused: true });
  });

  afterAll(() => app.close());

  /** Every value of every table as text, and the bytes of a SQLite file with its log. */
  async function everythingStored(): Promise<string> {
    const { dialect, reader } = app.store;
    const list =
      dialect === 'postgres'
        ? 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()'
        : `SELECT name FROM sqlite_master WHERE type = 'table'`;
    const tables = await reader.rows<{ name: string }>(list);
    expect(tables.length).toBeGreaterThan(20);
    const contents = await Promise.all(tables.map(({ name }) => reader.rows(`SELECT * FROM "${name}"`)));
    const { config } = app.database;
    const files = config.kind === 'sqlite' ? [config.path, `${config.path}-wal`] : [];
    return [JSON.stringify(contents), ...files.map((path) => readFileSync(path, 'latin1'))].join('\n');
  }

  it('is only in the call: not in the store, the log, the metrics or a response', async () => {
    const account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id });
    const plain = await orderBody(app.sandbox.control);
    const body = {
      ...plain,
      account_id,
      patient_details: { ...(plain['patient_details'] as object), first_name: mark, last_name: mark, email: mark },
      patient_address: { ...(plain['patient_address'] as object), first_line: mark, city: mark, access_notes: mark },
      clinical_notes: mark,
      icd_codes: [mark],
      passthrough: mark,
    };
    const answers = [
      await place(app, key, { ...body, [mark]: mark }),
      await place(app, key, { ...body, physician: { first_name: mark } }),
      await place(app, key, { ...body, patient_details: { ...body.patient_details, dob: mark } }),
    ];
    await app.sandbox.control.fault({ kind: 'drop_after', path: '/v3/order', method: 'POST' });
    await app.sandbox.control.fault({ kind: 'status', status: 403, path: '/v3/orders', method: 'GET', times: 1 });
    answers.push(await place(app, key, body));
    await app.sandbox.control.clearFaults();
    answers.push(await place(app, key, { ...body, clinical_notes: `${mark} again` }));
    answers.push(await place(app, key, body));
    answers.push(await place(app, key, body));
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 400, 503, 422, 201, 201]);

    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('pulsekeep_order_placements_total{outcome="placed"} 1');
    expect(app.logs.join('\n')).toContain('order.placement_unknown');
    for (const text of [await everythingStored(), app.logs.join('\n'), metrics, JSON.stringify(answers)]) {
      expect(text).not.toContain(mark);
    }
  });
});
