import {
  account,
  at,
  connection,
  given,
  history,
  message,
  secret,
  source,
  task,
  wholeDay,
} from '../../../test/operations/explain/support/explain-case.js';
import type { Case } from './case.js';
import { dayVerdict } from './day-state.js';
import { evidenceOf } from './evidence.js';
import { conclude, conclusionCodes } from './explain-rules.js';

const silence = { code: 'silence', since: 0 } as const;
const refused = { code: 'deliveries_refused', since: at('2026-11-19T08:00') } as const;

const none = 'No sleep record is stored for 2026-11-01';

const succession = { provider: 'fitbit', successor: 'google_health', retired_on: '2026-09-30', isFollowed: false };
const retired = { provider: 'fitbit', connection: { ...connection, provider: 'fitbit', status: 'disconnected' } };

const table: [string, Partial<Case>, string][] = [
  ['not_begun', { phase: 'ahead' }, '2026-11-01 has not happened yet.'],
  [
    'account_erasing',
    { account: { ...account, status: 'erasing' }, sources: [source({ records: 2 })] },
    'Nothing is known about 2026-11-01 because the account is being erased.',
  ],
  [
    'received_whole',
    { sources: [source({ records: 1 })], messages: [message] },
    '1 sleep record of oura is stored for 2026-11-01, and a complete pull after the day found no others.',
  ],
  [
    'received_so_far',
    { phase: 'running', sources: [source({ records: 2, phase: 'running' })] },
    '2 sleep records of oura are stored for 2026-11-01 so far; the day is not over yet.',
  ],
  [
    'received_in_part',
    { sources: [source({ records: 2, open: 'upstream' })] },
    "2 sleep records of oura are stored for 2026-11-01, but some may be missing: upstream's historical pull of that day has not finished.",
  ],
  [
    'gone_upstream',
    {
      gone: [
        {
          provider: 'oura',
          records: 2,
          superseded: 0,
          looks: [3, 5],
          missedAt: at('2026-11-03T02:00'),
          confirmedAt: at('2026-11-03T08:00'),
        },
      ],
    },
    '2 sleep records of oura were stored for 2026-11-01, but complete pulls up to 2026-11-03 08:00 UTC no longer returned them.',
  ],
  [
    'forecast_only',
    { standing: [{ provider: 'oura', date: '2026-11-01', hidden: 0, superseded: 0, forecasts: 1 }] },
    'Only a forecast of sleep is stored for 2026-11-01, which is no record.',
  ],
  [
    'not_over',
    { phase: 'running', sources: [source({ phase: 'running' })] },
    '2026-11-01 is not over yet, and no sleep record of it is stored so far.',
  ],
  [
    'confirmed_empty',
    { messages: [message] },
    'There is no sleep record for 2026-11-01: a complete pull of oura after the day found none, with the source connected and later data received.',
  ],
  [
    'account_pending',
    { account: { ...account, upstream_user_id: null, status: 'pending' }, sources: [], connections: [] },
    `${none} because the account has no upstream user yet.`,
  ],
  [
    'outside_ingestion',
    { account: { ...account, ingestion_start: '2026-11-02' }, sources: [source({ ingested: false })] },
    `${none} because the account accepts data only from 2026-11-02.`,
  ],
  [
    'not_synced',
    { synced: false, sources: [source({ pulled: 'no' })] },
    `${none} because sleep is not in SYNC_RESOURCES, so it is never pulled.`,
  ],
  [
    'message_dead',
    { messages: [message, { ...message, status: 'retry' }], sources: [source({ failure: 'pull' })] },
    `${none}, and 1 delivery for it around that day failed permanently; fix the cause, then replay it.`,
  ],
  [
    'message_waiting',
    { messages: [{ ...message, status: 'retry', count: 2 }], sources: [source({ pulled: 'settled' })] },
    `${none} yet: 2 deliveries for it around that day are waiting to be processed.`,
  ],
  [
    'not_heard',
    { connections: [], sources: [], alarms: [refused], unread: 2 },
    `${none}. The reason is unknown while webhooks are refused because their signatures match no configured secret (since 2026-11-19 08:00 UTC) and 2 messages are not processed yet.`,
  ],
  [
    'not_heard',
    { sources: [source({ pulled: 'settled' })], alarms: [silence, refused] },
    `${none}. The reason is unknown while webhooks are refused because their signatures match no configured secret (since 2026-11-19 08:00 UTC).`,
  ],
  ['never_connected', { connections: [], sources: [], asked: 'garmin' }, `${none} because garmin was never connected.`],
  ['never_connected', { connections: [], sources: [] }, `${none} because no source was ever connected.`],
  [
    'provider_retired',
    {
      sources: [
        source({ pulled: 'settled', gone: true }, { ...retired, succession: { ...succession, isFollowed: true } }),
      ],
    },
    `${none} because the API of fitbit was retired on 2026-09-30, and the source is disconnected; its successor google_health is connected.`,
  ],
  [
    'provider_retired',
    { sources: [source({ failure: 'connection', gone: true }, { ...retired, succession })] },
    `${none} because the API of fitbit was retired on 2026-09-30, and the source is disconnected; ask the person to connect its successor google_health.`,
  ],
  [
    'provider_retired',
    {
      sources: [
        source(
          { failure: 'connection', gone: true },
          {
            provider: 'fitbit',
            connection: { ...connection, provider: 'fitbit', status: 'error' },
            succession: { ...succession, retired_on: '2026-11-02' },
          },
        ),
      ],
    },
    `${none}; the API of fitbit was retired on 2026-11-02, the source is in error, and nothing more arrives from it; ask the person to connect its successor google_health.`,
  ],
  [
    'upstream_pull_failed',
    {
      sources: [
        source(
          { failure: 'pull' },
          { history: { ...history, status: 'failure', error_details: 'non_retriable_error' } },
        ),
      ],
    },
    `${none} because upstream's historical pull of oura failed with non_retriable_error on 2026-11-02 10:15 UTC; there is nothing to fetch until upstream pulls again or the person reconnects.`,
  ],
  [
    'connection_error',
    {
      sources: [
        source(
          { failure: 'connection', gone: true },
          {
            connection: {
              ...connection,
              status: 'error',
              error_type: 'token_refresh_failed',
              error_at: at('2026-10-31T04:00'),
            },
          },
        ),
      ],
    },
    `${none} because oura is in error (token_refresh_failed) since 2026-10-31 04:00 UTC; no data arrives until the person reconnects it.`,
  ],
  [
    'pull_open',
    { sources: [source({ open: 'ours' }, { undone: [{ ...task, error_code: 'upstream_unavailable' }] })] },
    `${none} yet: the pull of that day (task 12) is waiting after the error upstream_unavailable.`,
  ],
  [
    'upstream_pull_open',
    {
      sources: [
        source(
          { open: 'upstream' },
          { history: { ...history, status: 'retrying', error_details: 'provider_rate_limit_exceeded' } },
        ),
      ],
    },
    `${none} yet: upstream's historical pull of oura is retrying after the error provider_rate_limit_exceeded.`,
  ],
  [
    'points_rejected',
    {
      sources: [
        source(
          { rejected: true },
          {
            rejected: [
              {
                provider: 'oura',
                resource: 'sleep',
                reason: 'no_value',
                count: 2,
                start: at('2026-11-01T07:00'),
                end: at('2026-11-01T07:01'),
              },
            ],
          },
        ),
      ],
    },
    `${none}: oura sent 2 records that cannot be stored (no_value).`,
  ],
  [
    'pull_due',
    { sources: [source({ pulled: 'fresh', due: true })] },
    `${none} yet: oura may still send it; the next pull is due at 2026-11-20 13:00 UTC.`,
  ],
  [
    'resource_unavailable',
    { sources: [source({ pulled: 'settled', unavailable: true }, { availability: { available: false, denied: 1 } })] },
    `${none} because upstream reports that oura does not deliver it for this person; the person denied the permission.`,
  ],
  [
    'pull_failed',
    {
      sources: [
        source(
          { pulled: 'no', gaveUp: true },
          { undone: [{ ...task, status: 'failed', error_code: 'upstream_rejected' }] },
        ),
      ],
    },
    `${none} because the pull of that day (task 12) failed permanently with upstream_rejected; request another pull.`,
  ],
  [
    'disconnected',
    {
      sources: [source({ pulled: 'settled', gone: true }, { connection: { ...connection, status: 'disconnected' } })],
    },
    `${none} because oura is disconnected (last checked at 2026-11-20 06:00 UTC); no data arrives until the person reconnects it.`,
  ],
  [
    'never_pulled',
    { sources: [source({ pulled: 'no' })], alarms: [silence] },
    `${none} because that day of oura was never pulled; request a pull.`,
  ],
  [
    'late_data_possible',
    { sources: [source({ pulled: 'fresh' })] },
    `${none} because oura was last pulled too soon after that day, and no further pull is due; request a pull.`,
  ],
  [
    'connection_gap',
    { sources: [source({ pulled: 'settled', broken: true, unheard: true })] },
    `${none}, but oura was not connected continuously until that day was pulled, so data may be missing.`,
  ],
  [
    'silence',
    {
      sources: [source({ pulled: 'settled' })],
      alarms: [silence],
      lastDelivery: { account: null, any: at('2026-11-10T03:00') },
    },
    `${none}, and no webhook at all has arrived since 2026-11-10 03:00 UTC; check that upstream can reach this service.`,
  ],
  [
    'not_heard_since',
    { sources: [source({ pulled: 'settled', unheard: true }, { heardUntil: at('2026-10-31T22:10') })] },
    `${none}, but oura has sent no data later than 2026-10-31 22:10 UTC, so data of that day may still arrive.`,
  ],
  [
    'not_heard_since',
    { sources: [source({ pulled: 'settled', unheard: true }, { heardUntil: null })] },
    `${none}, but oura has sent no data yet, so data of that day may still arrive.`,
  ],
  [
    'not_proven',
    { sources: [source({ pulled: 'settled' })] },
    `${none}: the pulls found none from oura, but upstream may have received it later or may not have data that far back.`,
  ],
  ['never_asked', { sources: [] }, `${none}: no connected source was pulled for it.`],
];

describe('the conclusion about a day', () => {
  it.each(table)('%s', (code, differences, sentence) => {
    expect(conclude(given(differences))).toMatchObject({ code, sentence });
  });

  it('has a case here for every rule, in the same order', () => {
    expect([...new Set(table.map(([code]) => code))]).toEqual(conclusionCodes);
  });

  it('is about the most informative source, and empty only if all are', () => {
    const fitbit = { provider: 'fitbit' };
    const broken = source({ failure: 'pull' }, fitbit);
    expect(conclude(given({ sources: [source(), broken] })).code).toBe('upstream_pull_failed');
    expect(conclude(given({ sources: [broken, source({ records: 1 })] })).code).toBe('received_whole');
    expect(conclude(given({ sources: [source(), source({}, fitbit)] })).sentence).toContain(
      'pull of oura and fitbit after the day found none',
    );
  });

  it('of a day with records is never that it has not begun, because it has for the person', () => {
    const told = conclude(given({ phase: 'ahead', sources: [source({ records: 2, phase: 'ahead' })] }));
    expect(told.code).toBe('received_so_far');
  });

  it('is not about a source that ended before the day while another is connected', () => {
    const gone = {
      ...connection,
      provider: 'fitbit',
      status: 'error',
      error_type: 'deregistered_per_provider',
      error_at: at('2024-12-01T00:00'),
    };
    const former = source({ failure: 'connection', gone: true }, { provider: 'fitbit', connection: gone });
    const empty = conclude(given({ sources: [former, source()] }));
    expect(empty.code).toBe('confirmed_empty');
    expect(empty.sentence).toContain(': a complete pull of oura after the day found none');
    expect(conclude(given({ sources: [former] })).code).toBe('connection_error');
    const late = {
      ...former,
      evidence: { ...former.evidence, connection: { ...gone, error_at: at('2026-11-01T08:00') } },
    };
    expect(conclude(given({ sources: [late, source()] })).code).toBe('connection_error');
  });

  it('rests on evidence that is in the chain', () => {
    for (const [code, differences] of table) {
      const found = given(differences);
      const kinds = evidenceOf(found).map(({ kind }) => kind);
      const { decidedBy } = conclude(found);
      const missing = decidedBy.filter((kind) => !kinds.includes(kind));
      expect([code, missing]).toEqual([code, []]);
    }
  });

  it('repeats no free text of upstream', () => {
    const odd = source(
      { failure: 'pull' },
      {
        provider: secret,
        connection: { ...connection, provider: secret, status: secret, error_type: secret },
        history: { ...history, status: secret, error_details: secret, trace_id: secret, state: 'failed' },
        undone: [{ ...task, error_code: secret }],
        covered: [{ start: at('2026-10-01T00:00'), end: at('2026-11-20T00:00'), confirmedAt: 1, state: 'proven' }],
      },
    );
    const group = { ...message, event_type: secret, reason: secret };
    const found = given({ sources: [odd], connections: [odd.evidence.connection ?? connection], messages: [group] });
    const said = [conclude(found).sentence, ...evidenceOf(found).map(({ finding }) => finding)].join('\n');
    expect(said).not.toContain('Jane');
    expect(said).not.toContain('87');
    for (const failure of ['pull', 'connection'] as const) {
      const other = { ...odd, verdict: dayVerdict({ ...wholeDay, failure }) };
      expect(conclude(given({ sources: [other] })).sentence).not.toContain('Jane');
    }
  });
});
