import type { ObservationKind } from '../../src/health/catalogue/records.js';
import {
  isSummaryConflict,
  judgeSamples,
  judgeSummary,
  type Sibling,
  type StoredSibling,
} from '../../src/health/records/order-rule.js';

import { explore, type Model, renumbered, type Step } from './support/explore.js';

/*
 * One record of upstream's that changes a few times. Each change sends a message; messages arrive and are applied in
 * any order, some twice, some never; a pull is always due, reads upstream at any moment after its start, and may crash.
 * What two observations disagree about is read again. The rule is the real one: the model is what is around it.
 */

interface Truth {
  readonly value: number;
  /** Of summaries: `updated_at` in microseconds. */
  readonly version: number;
}

interface Stored extends Truth {
  readonly observation: number;
  readonly kind: ObservationKind;
}

interface Message {
  readonly says: number;
  /** Given at the first receipt; null on the way. */
  readonly observation: number | null;
  readonly applied: number;
}

interface Page {
  readonly observation: number;
  /** The place in `truths` that was read; null before. */
  readonly read: number | null;
}

interface State {
  /** The place in `truths` of what upstream has. */
  readonly truth: number;
  readonly messages: readonly Message[];
  readonly page: Page | null;
  readonly due: boolean;
  readonly crashes: number;
  readonly lost: number;
  readonly pages: number;
  readonly stored: Stored | null;
}

type Rule = (
  stored: Stored | null,
  incoming: Stored,
) => { readonly stored: Stored | null; readonly isConflict: boolean };

const details = { deviceId: '', workoutId: '', sport: '' };
const siblingOf = ({ value }: Truth): Sibling => ({
  value,
  value2: null,
  text: null,
  durationMs: 0,
  attributesId: 1,
  groupId: 1,
  traits: '',
  details,
});

const samples: Rule = (stored, incoming) => {
  const rows: StoredSibling[] = stored
    ? [{ ...siblingOf(stored), observation: stored.observation, kind: stored.kind, sameAnswer: false }]
    : [];
  const { observation, kind } = incoming;
  const verdict = judgeSamples(rows, [siblingOf(incoming)], { observation, kind, since: observation });
  return { stored: verdict.rows === null ? stored : incoming, isConflict: verdict.conflict };
};

const summaries: Rule = (stored, incoming) => {
  const isConflict =
    stored !== null && isSummaryConflict({ ...stored, sameContent: stored.value === incoming.value }, incoming);
  return { stored: judgeSummary(stored, incoming) ? incoming : stored, isConflict };
};

interface Around {
  readonly rule: Rule;
  readonly truths: readonly Truth[];
  readonly mayLose?: boolean;
}

/** Observation numbers only matter by their order, so states are told apart by that alone. */
function ranked(state: State): State {
  const numbers = [
    ...state.messages.map(({ observation }) => observation),
    state.page?.observation ?? null,
    state.stored?.observation ?? null,
  ].filter((number) => number !== null);
  const rank = renumbered(numbers);
  return {
    ...state,
    messages: state.messages.map((each) => ({
      ...each,
      observation: each.observation === null ? null : rank(each.observation),
    })),
    page: state.page && { ...state.page, observation: rank(state.page.observation) },
    stored: state.stored && { ...state.stored, observation: rank(state.stored.observation) },
  };
}

function world({ rule, truths, mayLose = false }: Around): Model<State> {
  const truthAt = (place: number): Truth => truths[place] as Truth;
  const newest = (state: State): number =>
    1 +
    Math.max(
      0,
      ...state.messages.map(({ observation }) => observation ?? 0),
      state.page?.observation ?? 0,
      state.stored?.observation ?? 0,
    );
  const apply = (state: State, says: number, observation: number, kind: ObservationKind): State => {
    const { stored, isConflict } = rule(state.stored, { ...truthAt(says), observation, kind });
    return { ...state, stored, due: state.due || isConflict };
  };

  function ofUpstream(state: State): Step<State>[] {
    if (state.truth + 1 >= truths.length) return [];
    const truth = state.truth + 1;
    const changed = { ...state, truth };
    const message: Message = { says: truth, observation: null, applied: 0 };
    const steps: Step<State>[] = [
      { name: `change to ${truth}`, next: { ...changed, messages: [...state.messages, message] } },
    ];
    if (mayLose && state.lost === 0) {
      // The regular pull, which is always due again, is what finds a change whose message was lost.
      steps.push({ name: `change to ${truth}, message lost`, next: { ...changed, lost: 1, due: true } });
    }
    return steps;
  }

  function ofMessage(state: State, message: Message, index: number): Step<State>[] {
    const { observation, applied, says } = message;
    const with_ = (change: Partial<Message>): Message[] => state.messages.with(index, { ...message, ...change });
    if (observation === null) {
      return [{ name: `receive ${says}`, next: { ...state, messages: with_({ observation: newest(state) }) } }];
    }
    if (applied === 2) return [];
    const after = apply(state, says, observation, 'message');
    return [{ name: `apply ${says}`, next: { ...after, messages: with_({ applied: applied + 1 }) } }];
  }

  function ofPull(state: State): Step<State>[] {
    const { page } = state;
    if (page === null) {
      if (!state.due) return [];
      const begun = { observation: newest(state), read: null };
      return [{ name: 'begin a pull', next: { ...state, due: false, page: begun, pages: state.pages + 1 } }];
    }
    const { read } = page;
    const goesOn =
      read === null
        ? { name: 'read the page', next: { ...state, page: { ...page, read: state.truth } } }
        : { name: 'apply the page', next: { ...apply(state, read, page.observation, 'sync'), page: null } };
    if (state.crashes === 1) return [goesOn];
    return [goesOn, { name: 'crash', next: { ...state, page: null, due: true, crashes: 1 } }];
  }

  const isQuiet = ({ truth, messages, page, due }: State): boolean =>
    truth + 1 === truths.length && messages.every(({ applied }) => applied > 0) && page === null && !due;
  return {
    initial: {
      truth: 0,
      messages: [],
      page: null,
      due: true,
      crashes: 0,
      lost: 0,
      pages: 0,
      stored: null,
    },
    steps: (state) =>
      [
        ...ofUpstream(state),
        ...state.messages.flatMap((message, index) => ofMessage(state, message, index)),
        ...ofPull(state),
      ].map(({ name, next }) => ({ name, next: ranked(next) })),
    wrong: (state) => {
      // At the first pull, after a crash, and for each message applied, once more for a replay of it.
      if (state.pages > 2 + state.lost + 2 * state.messages.length) return 'more pulls than there is to be read';
      if (!isQuiet(state)) return null;
      return state.stored?.value === truthAt(truths.length - 1).value ? null : 'the store differs from upstream';
    },
    isRest: isQuiet,
  };
}

const growing = [1, 2, 3, 4].map((value) => ({ value, version: value }));
const back = [1, 2, 1, 2].map((value, place) => ({ value, version: place + 1 }));
const still = [1, 2, 3, 4].map((value) => ({ value, version: 1 }));
const aheadOnce = [1, 2, 3, 4].map((value) => ({ value, version: value === 2 ? 9e15 : value }));

describe('the order rule, with every interleaving of messages, a pull and a crash', () => {
  it.each([
    ['samples', samples, growing, false],
    ['samples that change back', samples, back, false],
    ['samples, and a message is lost', samples, growing, true],
    ['summaries', summaries, growing, false],
    ['summaries that change back', summaries, back, false],
    ['summaries whose version stands still', summaries, still, false],
    ['summaries of which one is ahead of its time', summaries, aheadOnce, false],
    ['summaries, and a message is lost', summaries, growing, true],
  ] as const)('ends equal to upstream: %s', (_, rule, truths, mayLose) => {
    const { states, violation } = explore(world({ rule, truths, mayLose }));
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(5_000);
  });

  it.each<[string, Rule]>([
    ['is applied last wins', (_, incoming) => ({ stored: incoming, isConflict: false })],
    ['nothing is read again', (stored, incoming) => ({ ...samples(stored, incoming), isConflict: false })],
    [
      'a page never gives way',
      (stored, incoming) =>
        stored?.kind === 'sync' && incoming.kind === 'message'
          ? { stored, isConflict: false }
          : samples(stored, incoming),
    ],
  ])('finds the mistake when %s', (_, rule) => {
    expect(explore(world({ rule, truths: growing })).violation).toMatchObject({
      what: 'the store differs from upstream',
      path: expect.arrayContaining(['change to 1']),
    });
  });

  it('detects a rule that would request pulls forever', () => {
    const anxious: Rule = (stored, incoming) => ({ stored: samples(stored, incoming).stored, isConflict: true });
    expect(explore(world({ rule: anxious, truths: growing })).violation?.what).toBe(
      'more pulls than there is to be read',
    );
  });
});
