import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as appointments from './appointments.js';
import * as data from './data.js';
import * as labs from './labs.js';
import { object, orNull, type Schema, text, uuid } from './shapes.js';
import * as users from './users.js';

const id = '[0-9a-fA-F-]{36}';
const slug = '[a-z0-9_]+';

/** Upstream's response to each successful call. */
const answers: readonly (readonly [line: string, schema: Schema | ((name: string) => Schema)])[] = [
  ['GET /v2/user/?', users.userPage],
  ['POST /v2/user/?', users.user],
  ['GET /v2/user/metrics', users.metrics],
  ['GET /v2/user/resolve/.+', users.user],
  ['GET /v2/team/users/search', { type: 'array', items: users.user }],
  ['POST /v2/user/undo_delete', users.success],
  [`GET /v2/user/providers/${id}`, users.connections],
  [`POST /v2/user/refresh/${id}`, users.refresh],
  [`GET /v2/user/${id}/device`, { type: 'array', items: users.device }],
  [`GET /v2/user/${id}/device/${id}`, users.device],
  [`POST /v2/user/${id}/sign_in_token`, users.signInToken],
  [`DELETE /v2/user/${id}/${slug}`, users.success],
  [`GET /v2/user/${id}`, users.user],
  [`DELETE /v2/user/${id}`, users.success],
  ['POST /v2/link/token', users.linkToken],
  ['POST /v2/link/connect/demo', users.demo],
  ['GET /v2/providers', users.providers],
  ['GET /v2/introspect/historical_pull', users.historicalPulls],
  ['GET /v2/introspect/resources', users.resourceStates],
  [`GET /v2/timeseries/workouts/${id}/stream`, users.anything],
  [`GET /v2/timeseries/${id}/(${slug})/grouped`, data.timeseriesPage],
  [`GET /v2/summary/(${slug})/${id}`, data.summaries],
  ['GET /v3/lab_test', labs.labTestPage],
  ['POST /v3/order', labs.orderAnswer],
  [`POST /v3/order/${id}/cancel`, labs.orderAnswer],
  [`POST /v3/order/${id}/test`, text],
  ['POST /v3/order/resend_events', labs.orderIds],
  ['GET /v3/orders', labs.orderPage],
  [`GET /v3/order/${id}`, labs.order],
  [`GET /v3/order/${id}/result/metadata`, labs.resultMetadata],
  [`GET /v3/order(_transaction)?/${id}/result`, labs.result],
  [`GET /v3/order_transaction/${id}`, labs.transaction],
  ['POST /v3/order/psc/appointment/availability', appointments.availability],
  ['GET /v3/order/psc/appointment/cancellation-reasons', appointments.cancellationReasons],
  [`POST /v3/order/${id}/psc/appointment/book`, appointments.appointment],
  [`PATCH /v3/order/${id}/psc/appointment/(?:reschedule|cancel)`, appointments.appointment],
  [`GET /v3/order/${id}/psc/appointment`, appointments.appointment],
  ['POST /v3/compendium/search', labs.compendium],
  ['POST /v3/compendium/convert', labs.conversion],
];

/** The `data` of each event that is not about health data. */
const events: Readonly<Record<string, Schema>> = {
  'provider.connection.created': users.connectionCreated,
  'provider.connection.error': users.connectionError,
  'provider.device.created': users.device,
  'provider.device.updated': users.device,
  'labtest.order.created': labs.order,
  'labtest.order.updated': labs.order,
  'labtest.appointment.created': appointments.appointment,
  'labtest.appointment.updated': appointments.appointment,
  'labtest.result.critical': labs.critical,
};

/** docs/upstream/errors-and-limits.md#error-bodies */
const validation = object({
  detail: {
    anyOf: [
      text,
      {
        type: 'array',
        items: object({ loc: { type: 'array', items: { type: ['string', 'integer'] } }, msg: text, type: text }),
      },
    ],
  },
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const judges = new Map<string, ValidateFunction>();

function faultsOf(name: string, schema: Schema, value: unknown): string[] {
  const judge = judges.get(name) ?? ajv.compile(schema);
  judges.set(name, judge);
  if (judge(value)) return [];
  return (judge.errors ?? []).map(({ instancePath, message }) => `${name}: ${instancePath} ${message}`);
}

/** Faults of a JSON response of the sandbox. A successful call that is not listed is a fault. */
export function faultsOfAnswer(line: string, status: number, body: unknown): string[] {
  const called = line.split('?')[0] ?? '';
  if (status === 422) return faultsOf('422', validation, body);
  if (status >= 300) return [];
  for (const [pattern, schema] of answers) {
    const match = new RegExp(`^${pattern}$`).exec(called);
    if (!match) continue;
    const name = typeof schema === 'function' ? `${pattern} ${match[1]}` : pattern;
    return faultsOf(name, typeof schema === 'function' ? schema(match[1] ?? '') : schema, body);
  }
  return [`${called} is an answer that nothing describes`];
}

const envelope = object({ event_type: text, data: {}, client_user_id: text, team_id: uuid }, { user_id: orNull(uuid) });

/** Faults of an event sent by the sandbox; an undocumented event type is a fault. */
export function faultsOfEvent(body: unknown): string[] {
  const wrong = faultsOf('envelope', envelope, body);
  if (wrong.length > 0) return wrong;
  const { event_type: type, data: content } = body as { event_type: string; data: unknown };
  const [, kind, resource] = /^(daily|historical)\.data\.(\w+)\.(?:created|updated)$/.exec(type) ?? [];
  const schema = kind === 'historical' ? data.historicalData : kind ? data.dailyData(resource ?? '') : events[type];
  return schema ? faultsOf(`event ${type}`, schema, content) : [`${type} is an event that nothing describes`];
}
