import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY, parseBound, startOfDay } from '../engine/times.js';
import { APPOINTMENT_LABS, RADII } from '../facts/enums.js';
import { invalid, UpstreamAnswer } from '../http/answers.js';
import {
  asList,
  date,
  flag,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  queryFlag,
  repeated,
  text,
  uuid,
  validationItemsOf,
} from '../http/strict.js';
import { IdempotencyKeys } from '../labs/idempotency.js';
import type { Order } from '../labs/order.js';
import { once, orderOf } from '../labs/orders.routes.js';
import type { World } from '../world.js';
import type { Appointment } from './appointments.js';
import { SITES, type Site } from './sites.js';

interface AvailabilityInput {
  lab?: string;
  start_date?: string | null;
  site_codes?: string | string[] | null;
  zip_code?: string | null;
  radius?: string | null;
  allow_stale?: boolean | 'true' | 'false' | '1' | '0';
}

const REASONS = [
  { id: '5c0257ef-6fea-4a22-b20a-3ddab573d5b3', name: 'Patient asked', is_refundable: true },
  { id: '6c0257ef-6fea-4a22-b20a-3ddab573d5b4', name: 'Other', is_refundable: false },
];

const KEY_LIFETIME_MS = 14 * DAY;
const MAX_SITES = 3;
const zip = { type: 'string', pattern: '^\\d{5}$' };

const availabilityInputs = {
  body: object(
    {
      lab: oneOf(APPOINTMENT_LABS),
      start_date: nullable(date),
      site_codes: nullable(listOf(text)),
      zip_code: nullable(zip),
      radius: nullable(oneOf(RADII)),
      allow_stale: flag,
    },
    ['lab'],
  ),
  query: object(
    {
      lab: oneOf(APPOINTMENT_LABS),
      start_date: date,
      site_codes: repeated(text),
      zip_code: zip,
      radius: oneOf(RADII),
      allow_stale: queryFlag,
    },
    ['lab'],
  ),
};

/** Reads the inputs from the place where upstream reads them (docs/upstream/appointments.md#where-inputs-go). */
function readInput(world: World, request: FastifyRequest): AvailabilityInput & { lab: string } {
  const place = world.settings.availability_input;
  const input = place === 'body' ? request.body : request.query;
  if (input === undefined || input === null) throw invalid([place], 'Field required', 'missing');
  const part = place === 'body' ? 'body' : 'querystring';
  const validate = request.compileValidationSchema(availabilityInputs[place], part);
  if (!validate(input)) throw new UpstreamAnswer(422, { detail: validationItemsOf(place, validate.errors ?? []) });
  return input as AvailabilityInput & { lab: string };
}

function chooseSites(world: World, input: AvailabilityInput & { lab: string }): Site[] {
  const codes = asList(input.site_codes ?? undefined);
  const byZip = (input.zip_code ?? null) !== null;
  if (byZip && (input.radius ?? null) === null) throw world.wording.plain(400, 'site');
  const ofLab = SITES.filter((site) => site.lab === input.lab);
  const unknown = codes.some((code) => !ofLab.some((site) => site.code === code));
  if (codes.length > MAX_SITES || unknown || (codes.length === 0 && !byZip)) throw world.wording.plain(400, 'site');
  if (codes.length > 0) return ofLab.filter((site) => codes.includes(site.code));
  return ofLab.filter((site) => site.zip.slice(0, 2) === input.zip_code?.slice(0, 2));
}

function availability(world: World, request: FastifyRequest): Record<string, unknown> {
  mustSchedule(world);
  const input = readInput(world, request);
  const sites = chooseSites(world, input);
  const now = world.timeline.now();
  const from = typeof input.start_date === 'string' ? (parseBound(input.start_date, 'start') ?? now) : now;
  if (from < startOfDay(now)) throw world.wording.plain(400, 'site');
  if (sites.length === 0) throw world.wording.plain(404, 'slots');
  const mayBeStale = [true, 'true', '1'].includes(input.allow_stale ?? false);
  return world.offers.availability(sites, from, mayBeStale);
}

function active(world: World, order: Order): Appointment {
  const appointment = world.appointments.activeOf(order.id);
  if (appointment === undefined) throw world.wording.plain(404, 'appointment');
  return appointment;
}

function mustSchedule(world: World): void {
  if (!world.settings.scheduling) throw world.wording.plain(503, 'scheduling');
}

function book(world: World, order: Order, body: { booking_key: string; appointment_notes?: string | null }): unknown {
  mustSchedule(world);
  const bookable = order.sampleId !== null && world.appointments.activeOf(order.id) === undefined;
  const booked = bookable ? world.appointments.book(order, body.booking_key, body.appointment_notes ?? null) : null;
  if (booked === null) throw world.wording.plain(400, 'booking');
  return world.appointments.toWire(booked);
}

function installBooking(app: FastifyInstance, world: World): void {
  const keys = new IdempotencyKeys(world, KEY_LIFETIME_MS);
  const params = object({ order_id: uuid }, ['order_id']);
  const slot = { booking_key: text, appointment_notes: nullable(text) };
  const bookBody = object(
    {
      ...slot,
      async_confirmation: flag,
      sync_confirmation_timeout_millisecond: nullable({ ...integer, minimum: 1000, maximum: 10_000 }),
      async_confirmation_timeout_millisecond: nullable({ ...integer, minimum: 60_000, maximum: 172_800_000 }),
    },
    ['booking_key'],
  );
  const path = '/v3/order/:order_id/psc/appointment';
  app.post(`${path}/book`, { schema: { params, body: bookBody } }, (request, reply) =>
    once(keys, request, reply, () => book(world, orderOf(world, request), request.body as { booking_key: string })),
  );
  app.patch(`${path}/reschedule`, { schema: { params, body: object(slot, ['booking_key']) } }, (request) => {
    mustSchedule(world);
    const body = request.body as { booking_key: string; appointment_notes?: string | null };
    const appointment = active(world, orderOf(world, request));
    const moved = world.appointments.reschedule(appointment, body.booking_key, body.appointment_notes ?? null);
    if (moved === null) throw world.wording.plain(400, 'booking');
    return world.appointments.toWire(moved);
  });
  const cancelBody = object({ cancellationReasonId: uuid, cancellation_reason_id: uuid, note: nullable(text) });
  app.patch(`${path}/cancel`, { schema: { params, body: cancelBody } }, (request) => {
    const body = request.body as { cancellationReasonId?: string; cancellation_reason_id?: string };
    const reason = body.cancellationReasonId ?? body.cancellation_reason_id;
    if (reason === undefined) throw invalid(['body', 'cancellationReasonId'], 'Field required', 'missing');
    const appointment = active(world, orderOf(world, request));
    world.appointments.move(appointment, 'cancelled');
    return world.appointments.toWire(appointment);
  });
  app.get(path, { schema: { params } }, (request) => world.appointments.toWire(active(world, orderOf(world, request))));
}

/** Appointments: docs/upstream/appointments.md */
export function installAppointments(app: FastifyInstance, world: World): void {
  app.post('/v3/order/psc/appointment/availability', (request) => availability(world, request));
  app.get('/v3/order/psc/appointment/cancellation-reasons', () => REASONS);
  installBooking(app, world);
}
