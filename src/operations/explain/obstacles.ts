import type { Alarm, AlarmCode } from '../alarms/alarm-list.js';
import type { Case, SourceCase } from './case.js';
import { counted, moment } from './words.js';

/** Alarms about obstacles to upstream's data, with their phrases. */
const phrases: Readonly<Partial<Record<AlarmCode, string>>> = {
  store_refused: 'the database refuses writes',
  database_went_back: 'the database was reset to an earlier state and may have lost messages',
  inbox_unworked: 'messages are waiting and no process works on them',
  upstream_key_refused: 'upstream refuses the API key',
  upstream_away: 'upstream cannot be reached',
  deliveries_refused: 'webhooks are refused because their signatures match no configured secret',
  deliveries_misaddressed: 'webhooks arrive at a wrong path',
  deliveries_shed: 'webhooks are deferred because the inbox is behind',
  broker_not_consuming: 'messages wait in the queue of the broker',
  deliveries_untimely: 'webhooks are refused because their timestamps are too far from this clock',
};

type Obstructed = Pick<Case, 'alarms' | 'unread'>;

/** One phrase for each obstacle between upstream's data and our store. */
export function obstaclesOf({ alarms, unread }: Obstructed): string[] {
  const raised = alarms.flatMap(({ code, since }) => {
    const phrase = phrases[code];
    return phrase === undefined ? [] : [`${phrase} (since ${moment(since)})`];
  });
  return [
    ...raised,
    ...(unread === 0 ? [] : [`${counted(unread, 'message')} ${unread === 1 ? 'is' : 'are'} not processed yet`]),
  ];
}

/**
 * True if the day is empty because upstream reported nothing, and an obstacle could have delayed that report. The
 * obstacle is then the cause.
 */
export function isUnheard(given: Case, source: SourceCase | null): boolean {
  if (obstaclesOf(given).length === 0) return false;
  return (
    source === null ||
    ['never_pulled', 'not_heard_since', 'not_proven', 'late_data_possible'].includes(source.verdict.reason)
  );
}

/** The alarm about silence, as in the overview. */
export function isSilent(alarms: readonly Pick<Alarm, 'code'>[]): boolean {
  return alarms.some(({ code }) => code === 'silence');
}
