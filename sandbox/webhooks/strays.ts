import type { DeliveryFault, FaultRule } from '../engine/faults.js';
import type { Ids } from '../engine/random.js';

/** The message that it follows. */
interface Leader {
  readonly id: string;
  readonly body: string;
}

export interface Stray {
  readonly event_type: string;
  readonly body: string;
}

type Maker = (leader: Leader, rule: FaultRule, ids: Ids) => Stray;

const NOISE_TYPES = [
  'continuous_query.result_table.changed',
  'lab_report.parsing_job.created',
  'daily.data.aura.created',
];
const HUGE_BYTES = 6 * 1024 * 1024;

/** One padding for each length, shared by all messages. */
const paddings = new Map<number, string>();

function padding(bytes: number): string {
  const known = paddings.get(bytes) ?? JSON.stringify({ event_type: 'fault.huge_body', data: 'x'.repeat(bytes) });
  paddings.set(bytes, known);
  return known;
}

/** Faulty messages that follow another one. Unreadable ones are listed as `fault.<kind>`. */
export const STRAYS: Readonly<Partial<Record<DeliveryFault, Maker>>> = {
  noise: ({ id }, _rule, ids) => {
    const eventType = ids.rng('noise', id).pick(NOISE_TYPES);
    return { event_type: eventType, body: JSON.stringify({ event_type: eventType, data: [] }) };
  },
  cut_body: ({ body }) => ({ event_type: 'fault.cut_body', body: body.slice(0, Math.ceil(body.length / 2)) }),
  not_json: () => ({ event_type: 'fault.not_json', body: '<html>Not what was promised</html>' }),
  huge_body: (_leader, { bytes = HUGE_BYTES }) => ({ event_type: 'fault.huge_body', body: padding(bytes) }),
};
