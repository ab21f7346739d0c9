import { adminKeys } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { OrdersWorld, type Placed } from '../orders/support/orders-world.js';
import { r4Judge } from './support/r4-schema.js';

const faultsOf = r4Judge();

interface Answered {
  readonly resourceType: string;
  readonly entry: { readonly resource: { readonly resourceType: string; readonly status: string } }[];
}

describe('the routes of FHIR', () => {
  let world: OrdersWorld;
  let order: Placed;

  beforeEach(async () => {
    world = await OrdersWorld.open();
    order = await world.place(await world.user());
  });

  afterEach(() => world.close());

  const get = (path: string, key: string = adminKeys.reader, more = {}): Promise<Answer<Answered>> =>
    world.service.call('GET', path, { authorization: `Bearer ${key}`, accept: 'application/fhir+json', ...more });
  const typesOf = ({ body }: Answer<Answered>): string[] => [
    ...new Set(body.entry.map(({ resource }) => resource.resourceType)),
  ];
  const paths = (): string[] => [
    `/admin/v1/orders/${order.id}/result`,
    `/admin/v1/order-transactions/${order.transaction}/result`,
  ];

  it('give results and orders as Bundles to who may read their JSON, and record it in the same way', async () => {
    for (const path of paths()) {
      const answer = await get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/fhir+json; charset=utf-8']);
      expect(String(answer.headers['vary'])).toContain('accept');
      expect(faultsOf(answer.body)).toEqual([]);
      expect(typesOf(answer)).toEqual(expect.arrayContaining(['ServiceRequest', 'DiagnosticReport', 'Observation']));
      expect((await get(path, adminKeys.viewer)).status).toBe(403);
      expect((await get(path, 'no-key')).status).toBe(401);
      await world.send(`GET ${path}`);
    }
    const listed = await get(`/admin/v1/order-transactions/${order.transaction}`, adminKeys.viewer);
    expect([listed.status, faultsOf(listed.body)]).toEqual([200, []]);
    expect(typesOf(listed)).not.toContain('Observation');
    const { body } = await world.service.admin<{ data: Record<string, unknown>[] }>('GET', '/access-log?limit=500');
    const reads = body.data.filter(({ resource }) => resource === 'lab_results');
    for (const { id } of [{ id: order.id }, { id: order.transaction }]) {
      const own = reads.filter(({ target, status }) => String(target).endsWith(id) && status === 200);
      expect(own).toHaveLength(2);
      const [first, second] = own.map(({ action, account_id, resource, actor }) => ({
        action,
        account_id,
        resource,
        actor,
      }));
      expect(first).toEqual(second);
    }
  });

  it('answer in JSON to who does not name FHIR, and with 304 only to who has that form', async () => {
    const [path = ''] = paths();
    const { headers } = await get(path);
    const etag = String(headers['etag']);
    expect((await get(path, adminKeys.reader, { 'if-none-match': etag })).status).toBe(304);
    for (const accept of ['application/json', '*/*', 'application/fhir+json;q=0', 'application/fhir+xml']) {
      const { status, body } = await get(path, adminKeys.reader, { accept, 'if-none-match': etag });
      expect([accept, status, body.resourceType]).toEqual([accept, 200, undefined]);
    }
  });

  it('show a withdrawn result as entered in error, without its values', async () => {
    const [path = ''] = paths();
    await get(path);
    await world.control.setResult(order.id, { withdrawn: true });
    const answer = await get(path);
    const reports = answer.body.entry.filter(({ resource }) => resource.resourceType === 'DiagnosticReport');
    expect(reports.map(({ resource }) => resource.status)).toEqual(['entered-in-error']);
    expect(typesOf(answer)).not.toContain('Observation');
    expect(faultsOf(answer.body)).toEqual([]);
  });

  it('refuse in problem+json what their JSON refuses', async () => {
    const missing = await get('/admin/v1/orders/00000000-0000-4000-8000-000000000000/result');
    expect([missing.status, missing.headers['content-type']]).toEqual([404, expect.stringContaining('problem+json')]);
  });

  it('know nothing of a person who was erased', async () => {
    const [path = ''] = paths();
    expect((await get(path)).status).toBe(200);
    await world.service.admin('DELETE', '/accounts/ann');
    await world.service.settle();
    for (const each of [...paths(), `/admin/v1/order-transactions/${order.transaction}`]) {
      expect([each, (await get(each)).status]).toEqual([each, 404]);
    }
  });

  it('include a CapabilityStatement without a key', async () => {
    const { status, body } = await world.service.call('GET', '/fhir/metadata');
    // The schema is of 4.0.0; 4.0.1 only corrects texts, and its list of versions ends before it.
    expect(body).toMatchObject({ fhirVersion: '4.0.1' });
    expect([status, faultsOf({ ...(body as object), fhirVersion: '4.0.0' })]).toEqual([200, []]);
  });
});
