import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LAB_TESTS, labTestFor } from '../facts/lab-tests.js';
import type { Order, PdfSettings } from '../labs/order.js';
import { labTestWire } from '../labs/order-shapes.js';
import type { World } from '../world.js';
import { refusal, userOrRefusal } from './control-error.js';
import { bodies } from './control-schemas.js';

function orderOf(world: World, request: FastifyRequest): Order {
  const order = world.orders.find((request.params as { id: string }).id);
  if (order === undefined) throw refusal(404, 'no such order');
  return order;
}

interface PlaceBody {
  user_id: string;
  collection_method?: string;
  lab?: string;
  passthrough?: string;
  notify?: boolean;
}

const SAMPLE_PATIENT = {
  first_name: 'Sample',
  last_name: 'Patient',
  dob: '1980-01-01',
  gender: 'unknown',
  phone_number: '+10000000000',
  email: 'patient@sandbox.example',
};

function place(world: World, body: PlaceBody): Record<string, unknown> {
  const labTest = labTestFor(body.collection_method ?? 'walk_in_test', body.lab);
  if (labTest === undefined) throw refusal(400, 'no such lab test');
  const user = userOrRefusal(world, body.user_id);
  const details = { patient_details: SAMPLE_PATIENT, passthrough: body.passthrough ?? null };
  const order = world.orders.create({ userId: user.user_id, labTest, details, notify: body.notify ?? true });
  return { order: world.orders.toWire(order) };
}

function setStatus(
  world: World,
  order: Order,
  body: { status: string; status_detail?: string; notify?: boolean },
): unknown {
  const detail = body.status_detail === undefined ? {} : { detail: body.status_detail };
  const moved = world.orders.step(order, body.status, { ...detail, notify: body.notify ?? true });
  if (moved === null) throw refusal(400, 'no such status for this order');
  return { order: world.orders.toWire(moved) };
}

function redraw(world: World, order: Order, body: { redraw_first?: boolean; notify?: boolean } | null): unknown {
  const siblings = world.orders.inTransaction(order.transactionId);
  if (order.labTest.method !== 'walk_in_test' || siblings.some(({ origin }) => origin === 'redraw')) {
    throw refusal(400, 'at most one redraw in a transaction, walk-in orders only');
  }
  const made = world.orders.redraw(order, { redrawFirst: body?.redraw_first ?? false, notify: body?.notify ?? true });
  return { order: world.orders.toWire(order), redraw: world.orders.toWire(made) };
}

interface PdfBody {
  pdf_bytes?: number | null;
  pdf_break_after?: number | null;
}

interface ResultBody extends PdfBody {
  results?: unknown;
  metadata?: Record<string, unknown>;
  fields?: Record<string, unknown>;
  missing?: boolean;
  withdrawn?: boolean;
}

/** Merges the given fields over earlier ones; null removes a setting of the PDF. */
function setResult(order: Order, { missing, pdf_bytes, pdf_break_after, ...over }: ResultBody): unknown {
  if (missing !== undefined) order.missingResults = missing;
  setPdf(order.result, { pdf_bytes, pdf_break_after });
  Object.assign(order.result, over);
  return { success: true };
}

function setDocuments(order: Order, { has_abn = order.hasAbn, ...pdf }: PdfBody & { has_abn?: boolean }): unknown {
  order.hasAbn = has_abn;
  setPdf(order.document, pdf);
  return { success: true };
}

function setPdf(of: PdfSettings, { pdf_bytes, pdf_break_after }: PdfBody): void {
  if (pdf_bytes !== undefined) setOrRemove(of, 'pdfBytes', pdf_bytes);
  if (pdf_break_after !== undefined) setOrRemove(of, 'pdfBreakAfter', pdf_break_after);
}

function setOrRemove(of: PdfSettings, name: keyof PdfSettings, value: number | null): void {
  if (value === null) delete of[name];
  else of[name] = value;
}

/** Changes of orders from outside the API. */
export function installOrderControl(app: FastifyInstance, world: World): void {
  const { orders } = world;
  app.get('/control/lab-tests', () => ({ lab_tests: LAB_TESTS.map(labTestWire) }));
  app.post('/control/orders', { schema: { body: bodies.order } }, (request) => place(world, request.body as PlaceBody));
  app.post('/control/orders/:id/status', { schema: { body: bodies.orderStatus } }, (request) =>
    setStatus(world, orderOf(world, request), request.body as { status: string }),
  );
  app.post('/control/orders/:id/walk', { schema: { body: bodies.orderWalk } }, (request) => {
    const body = request.body as { to?: string; step_seconds?: number } | null;
    const order = orderOf(world, request);
    if (!orders.walk(order, body?.to ?? 'completed', body?.step_seconds ?? 0)) throw refusal(400, 'no such status');
    return { order: orders.toWire(order) };
  });
  app.post('/control/orders/:id/redraw', { schema: { body: bodies.orderRedraw } }, (request) =>
    redraw(world, orderOf(world, request), request.body as { redraw_first?: boolean } | null),
  );
  app.post('/control/orders/:id/recreate', (request) => ({
    order: orders.toWire(orders.recreate(orderOf(world, request))),
  }));
  app.post('/control/orders/:id/result', { schema: { body: bodies.orderResult } }, (request) =>
    setResult(orderOf(world, request), request.body as ResultBody),
  );
  app.post('/control/orders/:id/documents', { schema: { body: bodies.orderDocuments } }, (request) =>
    setDocuments(orderOf(world, request), request.body as PdfBody),
  );
  app.get('/control/orders/:id/downloads', (request) => {
    const { id } = orderOf(world, request);
    return { downloads: world.resultPdfs.downloads.filter((download) => download.order_id === id) };
  });
  app.post('/control/orders/:id/critical', { schema: { body: bodies.orderCritical } }, (request) => {
    const status = (request.body as { status?: 'final' | 'partial' } | null)?.status ?? 'final';
    orders.announceCritical(orderOf(world, request), status);
    return { success: true };
  });
  app.post('/control/orders/:id/appointment', { schema: { body: bodies.appointment } }, (request) => {
    const appointment = world.appointments.activeOf(orderOf(world, request).id);
    if (appointment === undefined) throw refusal(404, 'no active appointment');
    world.appointments.move(appointment, (request.body as { status: string }).status);
    return { appointment: world.appointments.toWire(appointment) };
  });
}
