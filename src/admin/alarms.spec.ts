import { type AlarmFigures, alarmsOf } from './alarms.js';

const hour = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00Z');

function figures(differences: Partial<AlarmFigures>): AlarmFigures {
  return {
    connections: [{ provider: 'oura', status: 'connected', count: 3 }],
    dead_messages: 0,
    tasks_failed_lately: 0,
    pulls_failed_lately: 0,
    pulls_stuck: 0,
    pulls_stuck_since: null,
    frequent_installations: 0,
    erasures_held_up: 0,
    tokens_closed_at: null,
    foreign_messages_lately: 0,
    critical_results_lately: 0,
    last_delivery_at: now - hour,
    stamped_at: now - 1_000 * hour,
    ...differences,
  };
}

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
    ['messages are dead', { dead_messages: 1 }, ['dead_messages']],
    ['messages are of another team', { foreign_messages_lately: 1 }, ['foreign_messages']],
    ['pulls of ours failed', { tasks_failed_lately: 1 }, ['failed_tasks']],
    ["upstream's pulls failed", { pulls_failed_lately: 1 }, ['failed_historical_pulls']],
    ["upstream's pulls are stuck", { pulls_stuck: 1 }, ['stuck_historical_pulls']],
    ['installations sign in at every launch', { frequent_installations: 1 }, ['frequent_sign_ins']],
    ['erasures are held up', { erasures_held_up: 1 }, ['erasures_held_up']],
    ['an operator stopped all tokens', { tokens_closed_at: now - 1 }, ['tokens_closed']],
    ['results are critical', { critical_results_lately: 1 }, ['critical_results']],
    [
      'everything is wrong',
      {
        last_delivery_at: 0,
        dead_messages: 1,
        tasks_failed_lately: 2,
        pulls_failed_lately: 3,
        pulls_stuck: 5,
        critical_results_lately: 4,
        frequent_installations: 6,
        erasures_held_up: 7,
        tokens_closed_at: 0,
        foreign_messages_lately: 8,
      },
      [
        'tokens_closed',
        'silence',
        'dead_messages',
        'foreign_messages',
        'failed_tasks',
        'failed_historical_pulls',
        'stuck_historical_pulls',
        'critical_results',
        'frequent_sign_ins',
        'erasures_held_up',
      ],
    ],
  ])('when %s', (_, differences, codes) => {
    expect(alarmsOf(figures(differences), 24, now).map(({ code }) => code)).toEqual(codes);
  });

  it('say how many, or since when', () => {
    const differences = { dead_messages: 7, last_delivery_at: now - 48 * hour, pulls_stuck: 2, pulls_stuck_since: 9 };
    expect(alarmsOf(figures(differences), 24, now)).toEqual([
      expect.objectContaining({ code: 'silence', count: null, since: now - 48 * hour }),
      expect.objectContaining({ code: 'dead_messages', count: 7, since: null }),
      expect.objectContaining({ code: 'stuck_historical_pulls', count: 2, since: 9 }),
    ]);
  });
});
