import fc from 'fast-check';
import { type DayFacts, dayReasons, dayStates, dayVerdict } from './day-state.js';

const whole: DayFacts = {
  records: 0,
  phase: 'over',
  ingested: true,
  failure: null,
  open: null,
  pulled: 'proven',
  broken: false,
  unheard: false,
  due: false,
  unavailable: false,
  gaveUp: false,
  rejected: false,
  notSynced: false,
  gone: false,
};

const anyDay = fc.record<DayFacts>({
  records: fc.constantFrom(0, 0, 1, 40),
  phase: fc.constantFrom('ahead', 'running', 'over'),
  ingested: fc.boolean(),
  failure: fc.constantFrom('pull', 'connection', null),
  open: fc.constantFrom('ours', 'upstream', null),
  pulled: fc.constantFrom('no', 'fresh', 'settled', 'proven'),
  broken: fc.boolean(),
  unheard: fc.boolean(),
  due: fc.boolean(),
  unavailable: fc.boolean(),
  gaveUp: fc.boolean(),
  rejected: fc.boolean(),
  notSynced: fc.boolean(),
  gone: fc.boolean(),
});

const choices: { readonly [Fact in keyof DayFacts]: readonly DayFacts[Fact][] } = {
  records: [0, 3],
  phase: ['ahead', 'running', 'over'],
  ingested: [true, false],
  failure: ['pull', 'connection', null],
  open: ['ours', 'upstream', null],
  pulled: ['no', 'fresh', 'settled', 'proven'],
  broken: [true, false],
  unheard: [true, false],
  due: [true, false],
  unavailable: [true, false],
  gaveUp: [true, false],
  rejected: [true, false],
  notSynced: [true, false],
  gone: [true, false],
};

/** All combinations of facts about a day. */
function everyDay(): DayFacts[] {
  return Object.entries(choices).reduce<object[]>(
    (days, [fact, values]) => days.flatMap((day) => values.map((value) => ({ ...day, [fact]: value }))),
    [{}],
  ) as DayFacts[];
}

describe('a day', () => {
  it.each<[string, Partial<DayFacts>, string, string]>([
    ['proven empty by a look of ours', {}, 'confirmed_empty', 'whole'],
    ['the same, of a source that is gone since', { gone: true }, 'confirmed_empty', 'whole'],
    ['the same, of a source that no longer delivers it', { unavailable: true }, 'confirmed_empty', 'whole'],
    ['the same, after a pull that was given up', { gaveUp: true }, 'confirmed_empty', 'whole'],
    ['the same, of which something could not be stored', { rejected: true }, 'unknown', 'points_rejected'],
    ['ahead', { phase: 'ahead', due: true }, 'unknown', 'not_begun'],
    ['outside the bounds of ingestion', { ingested: false, failure: 'pull' }, 'unknown', 'outside_ingestion'],
    ['upstream failed to pull', { failure: 'pull', open: 'ours' }, 'failed_upstream', 'upstream_pull_failed'],
    ['the source was in error', { failure: 'connection', gone: true }, 'failed_upstream', 'connection_error'],
    ['we are pulling', { open: 'ours' }, 'pending', 'pull_open'],
    ['upstream is pulling', { open: 'upstream' }, 'pending', 'upstream_pull_open'],
    ['still running', { phase: 'running', due: true }, 'pending', 'not_over'],
    ['still running, of a source that is gone', { phase: 'running', gone: true }, 'unknown', 'disconnected'],
    ['to be pulled again', { pulled: 'fresh', due: true }, 'pending', 'pull_due'],
    ['to be pulled for the first time', { pulled: 'no', due: true }, 'pending', 'pull_due'],
    ['the source does not deliver', { pulled: 'settled', unavailable: true }, 'unknown', 'resource_unavailable'],
    ['our pull was given up', { pulled: 'no', gaveUp: true }, 'unknown', 'pull_failed'],
    ['that nothing proves, of a source that is gone', { pulled: 'settled', gone: true }, 'unknown', 'disconnected'],
    ['never pulled', { pulled: 'no' }, 'unknown', 'never_pulled'],
    ['pulled, but too early', { pulled: 'fresh' }, 'unknown', 'late_data_possible'],
    [
      'of a source that was not connected since',
      { pulled: 'settled', broken: true, unheard: true },
      'unknown',
      'connection_gap',
    ],
    ['of a source that was not heard from since', { pulled: 'settled', unheard: true }, 'unknown', 'not_heard_since'],
    ['pulled without proof', { pulled: 'settled' }, 'unknown', 'not_proven'],
  ])('%s is reported, and its records change neither reason nor completeness', (_, differences, state, reason) => {
    const day = { ...whole, ...differences };
    const isWhole = reason === 'whole';
    expect(dayVerdict(day)).toEqual({ state, reason, whole: isWhole });
    expect(dayVerdict({ ...day, records: 3 })).toEqual({ state: 'received', reason, whole: isWhole });
  });

  it('has one of the known states and reasons, and each of these occurs', () => {
    const verdicts = everyDay().map(dayVerdict);
    expect(verdicts).toHaveLength(110_592);
    expect(new Set(verdicts.map(({ state }) => state))).toEqual(new Set(dayStates));
    expect(new Set(verdicts.map(({ reason }) => reason))).toEqual(new Set(dayReasons));
  });

  it('is received if and only if a record is stored', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        expect(dayVerdict(day).state === 'received').toBe(day.records > 0);
      }),
    );
  });

  it('is never complete, and never empty, unless it is over and proven', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const verdict = dayVerdict(day);
        const { phase, pulled, ingested, failure, open, rejected } = day;
        const isProven = phase === 'over' && ingested && pulled === 'proven';
        expect(verdict.whole).toBe(isProven && failure === null && open === null && !rejected);
        if (verdict.state === 'confirmed_empty') expect(verdict.whole).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never becomes empty by losing a proof', () => {
    const losses: Partial<DayFacts>[] = [{ pulled: 'no' }, { pulled: 'settled' }, { rejected: true }, { open: 'ours' }];
    fc.assert(
      fc.property(anyDay, fc.constantFrom(...losses), (day, loss) => {
        expect(dayVerdict({ ...day, ...loss }).state).not.toBe('confirmed_empty');
      }),
    );
  });
});
