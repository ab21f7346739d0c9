import { countFigures, instantFigures } from '../../storage/declarations/declarations.js';
import type { AlarmFigures, ProcessReport } from './alarm-facts.js';
import { findingsOf } from './alarm-list.js';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 20, 12);
const rules = { silenceHours: 24, intervalMs: hour };
const quiet: ProcessReport = {
  seen_at: now,
  signs: {},
  working: ['inbox', 'pull'],
  stuck: [],
  failing: [],
  pauses: {},
};

const none = {
  ...Object.fromEntries(countFigures.map((name) => [name, 0])),
  ...Object.fromEntries(instantFigures.map((name) => [name, null])),
} as Pick<AlarmFigures, (typeof countFigures)[number] | (typeof instantFigures)[number]>;

function figures(differences: Partial<AlarmFigures>): AlarmFigures {
  return {
    ...none,
    deliveries: [],
    counted_at: now,
    endpoint_failures: [],
    connections: [{ provider: 'oura', status: 'connected', count: 3 }],
    last_delivery_at: now - hour,
    stamped_at: now - 1_000 * hour,
    ...differences,
  };
}

const last = (provider: string, hours: number) => ({ provider, last_at: now - hours * hour });

describe('alarms', () => {
  it.each<[string, Partial<AlarmFigures>, string[]]>([
    ['nothing is wrong', {}, []],
    ['the last delivery is as old as allowed', { last_delivery_at: now - 24 * hour }, []],
    ['the last delivery is older', { last_delivery_at: now - 24 * hour - 1 }, ['silence']],
    ['nothing was ever delivered to an old store', { last_delivery_at: null }, ['silence']],
    ['nothing was delivered yet to a new store', { last_delivery_at: null, stamped_at: now - hour }, []],
    ['nothing is connected', { last_delivery_at: null, connections: [] }, []],
    [
      'nothing is connected any more',
      { last_delivery_at: null, connections: [{ provider: 'oura', status: 'error', count: 3 }] },
      [],
    ],
    ['messages are dead', { messages_dead: 1 }, ['dead_messages']],
    ['messages are of another team', { foreign_messages_today: 1 }, ['foreign_messages']],
    ['our pulls failed', { tasks_failed_lately: 1 }, ['failed_tasks']],
    ["upstream's pulls failed", { pulls_failed_lately: 1 }, ['failed_historical_pulls']],
    ["upstream's pulls are stuck", { pulls_stuck: 1 }, ['stuck_historical_pulls']],
    ['installations sign in at every launch', { frequent_installations: 1 }, ['frequent_sign_ins']],
    ['erasures are held up', { erasures_held_up: 1 }, ['erasures_held_up']],
    ['an operator stopped all tokens', { tokens_closed_at: now - 1 }, ['tokens_closed']],
    ['deletions wait for a decision', { deletions_held: 1 }, ['deletions_held']],
    ['audits found our faults', { audit_faults: 1 }, ['audit_faults']],
    ['a consumer of changes falls behind', { consumers_lagging: 1 }, ['consumer_lagging']],
    ['results wait for a decision', { results_to_review: 1 }, ['results_to_review']],
    ['results were withdrawn', { results_withdrawn_lately: 1 }, ['results_withdrawn']],
    ['patients were not told of critical results', { critical_results_untold: 1 }, ['critical_results']],
    ['nobody knows whose critical result it is', { critical_to_review: 1 }, ['critical_results']],
    ['an endpoint fails', { endpoints_failing: 1 }, ['push_failing']],
    ['an endpoint is disabled', { endpoints_disabled: 1 }, ['push_disabled']],
    ['patients were not told of a redraw', { redraws_untold: 1 }, ['redraws_untold']],
    ['a redraw is owed for long', { redraws_overdue: 1 }, ['redraws_overdue']],
    ['an upload has no known outcome', { uploads_unknown: 1 }, ['uploads_unknown']],
    [
      'everything is wrong',
      {
        last_delivery_at: 0,
        messages_dead: 1,
        inbox_due_since: 0,
        pulls_due_since: 0,
        order_list_failing_since: 0,
        results_given_up: 9,
        orders_given_up: 1,
        series_given_up: 1,
        results_to_review: 2,
        results_withdrawn_lately: 1,
        tasks_failed_lately: 2,
        pulls_failed_lately: 3,
        pulls_stuck: 5,
        critical_results_untold: 4,
        redraws_untold: 5,
        frequent_installations: 6,
        erasures_held_up: 7,
        tokens_closed_at: 0,
        foreign_messages_today: 8,
      },
      [
        'critical_results',
        'inbox_unworked',
        'pulls_unworked',
        'silence',
        'tokens_closed',
        'dead_messages',
        'foreign_messages',
        'failed_tasks',
        'failed_historical_pulls',
        'stuck_historical_pulls',
        'order_list_stuck',
        'results_to_review',
        'results_given_up',
        'reads_given_up',
        'results_withdrawn',
        'redraws_untold',
        'frequent_sign_ins',
        'erasures_held_up',
      ],
    ],
  ])('when %s', (_, differences, codes) => {
    expect(findingsOf(figures(differences), [], rules, now).map(({ code }) => code)).toEqual(codes);
  });

  const connected = (provider: string, count = 10, status = 'connected') => ({ provider, status, count });
  const both = [connected('oura'), connected('garmin')];

  it.each<[string, Partial<AlarmFigures>, string[]]>([
    ['all providers deliver', { deliveries: [last('oura', 24), last('garmin', 0)] }, []],
    ['one stopped', { deliveries: [last('oura', 25), last('garmin', 0)] }, ['oura']],
    [
      'one stopped and the other has just been within the limit',
      { deliveries: [last('oura', 25), last('garmin', 24)] },
      ['oura'],
    ],
    ['all stopped', { deliveries: [last('oura', 25), last('garmin', 30)] }, []],
    ['only one ever delivered, and stopped', { deliveries: [last('oura', 25)] }, []],
    ['one is not connected any more', { deliveries: [last('fitbit', 25), last('garmin', 0)] }, []],
    [
      'few sources of one are connected',
      { connections: [connected('oura', 9)], deliveries: [last('oura', 25), last('garmin', 0)] },
      [],
    ],
    [
      'the sources of one are in error',
      { connections: [connected('oura', 10, 'error')], deliveries: [last('oura', 25), last('garmin', 0)] },
      [],
    ],
  ])('name the providers that are silent when %s', (_, differences, providers) => {
    const [found] = findingsOf(figures({ connections: both, ...differences }), [], rules, now);
    expect(found?.providers ?? []).toEqual(providers);
  });

  it('name the time since when the first provider is silent', () => {
    const connections = [...both, connected('whoop')];
    const deliveries = [last('oura', 30), last('garmin', 40), last('whoop', 1)];
    expect(findingsOf(figures({ connections, deliveries }), [], rules, now)).toEqual([
      { code: 'provider_silent', count: 2, since: now - 40 * hour, providers: ['garmin', 'oura'] },
    ]);
  });

  it('do not name a retired provider that is silent', () => {
    const retired = Date.UTC(2026, 9, 1);
    const at = (time: number) => {
      const deliveries = [
        { provider: 'fitbit', last_at: time - 40 * hour },
        { provider: 'garmin', last_at: time },
      ];
      const known = figures({ connections: [connected('fitbit'), connected('garmin')], deliveries });
      return findingsOf({ ...known, last_delivery_at: time }, [], rules, time).map(({ code }) => code);
    };
    expect(at(retired - 1)).toEqual(['provider_silent']);
    expect(at(retired)).toEqual([]);
  });

  it('give a count, or a start time', () => {
    const differences = { messages_dead: 7, last_delivery_at: now - 48 * hour, pulls_stuck: 2, pulls_stuck_since: 9 };
    expect(findingsOf(figures(differences), [], rules, now)).toEqual([
      { code: 'silence', count: null, since: now - 48 * hour },
      { code: 'dead_messages', count: 7, since: null },
      { code: 'stuck_historical_pulls', count: 2, since: 9 },
    ]);
  });

  it.each<[string, Partial<AlarmFigures>, readonly Partial<ProcessReport>[], string[]]>([
    ['a message is due and a process works on the inbox', { inbox_due_since: 0 }, [{}], []],
    ['a message has not been due for long', { inbox_due_since: now - 120_000 }, [], []],
    ['the process that worked is dead', { inbox_due_since: 0 }, [{ seen_at: now - 60_001 }], ['inbox_unworked']],
    ['the others only serve', { inbox_due_since: 0 }, [{ working: ['alarms'] }], ['inbox_unworked']],
    ['nobody works on due pulls', { pulls_due_since: 0 }, [{ working: ['inbox'] }], ['pulls_unworked']],
    ['a round hangs', {}, [{}, { stuck: ['pull'] }], ['worker_stuck']],
    ['a dead process saw something', {}, [{ seen_at: 0, signs: { upstream_away: 1 }, stuck: ['pull'] }], []],
    ['a process died before the clock was set back', {}, [{ seen_at: now + hour, stuck: ['pull'] }], []],
    ['the list of orders was read lately', { order_list_failing_since: now - 3 * hour }, [], []],
  ])('when %s', (_, differences, reports, codes) => {
    const all = reports.map((each) => ({ ...quiet, ...each }));
    expect(findingsOf(figures(differences), all, rules, now).map(({ code }) => code)).toEqual(codes);
  });

  it('give the number of affected processes, and the earliest start time', () => {
    const reports = [now - 5, now - 9].map((at) => ({ ...quiet, signs: { upstream_away: at } }));
    expect(findingsOf(figures({}), reports, rules, now)).toEqual([{ code: 'upstream_away', count: 2, since: now - 9 }]);
  });
});
