import { type Model, renumbered, type Step } from './explore.js';

/*
 * One row of work, two workers, each of whom may die or fall behind at any moment, and a clock that goes on. Times are
 * counted in half leases.
 */

export const LEASE = 2;
const END = 7;
/** Tries until the row is buried. */
export const MAX_TRIES = 2;
const MAX_DEFERS = 1;

/** The columns of a leased row; owners are renumbered in every state, because only their identity matters. */
export interface Row {
  readonly due: number | null;
  readonly attempts: number;
  readonly waits: number;
  readonly owner: number | null;
  readonly until: number | null;
}

export interface LeaseState {
  readonly now: number;
  readonly row: Row;
  /** The lease each worker believes it holds; null if it holds none or died. */
  readonly held: readonly [Row | null, Row | null];
  /** Number of times the effect of the work was committed. */
  readonly effects: number;
  readonly crashes: number;
  readonly defers: number;
}

/** The effect of a step on the row, for comparison with the statements. */
export type Act = 'claim' | 'heartbeat' | 'complete' | 'defer' | 'wait' | 'release' | 'bury' | 'crash' | 'tick';

export interface Guards {
  /** A holder's writes look at the owner. */
  readonly owner: boolean;
  /** A claim counts as a try. */
  readonly count: boolean;
  /** Every handling kills the process. */
  readonly poison?: boolean;
}

export interface LeaseStep extends Step<LeaseState> {
  readonly act: Act;
  readonly worker: 0 | 1;
  /** The write found that another worker holds the row. */
  readonly isLost: boolean;
}

const unleased = { owner: null, until: null };
const workers = [0, 1] as const;

export function leaseModel(guards: Guards): Model<LeaseState> & { steps(state: LeaseState): readonly LeaseStep[] } {
  function claim(state: LeaseState, worker: 0 | 1): LeaseStep[] {
    const { row, now } = state;
    const isFree = row.due !== null && row.due <= now && (row.until === null || row.until <= now);
    if (!isFree || state.held[worker] !== null) return [];
    const owner = 1 + Math.max(...ownersOf(state), 0);
    const attempts = row.attempts + (guards.count ? 1 : 0);
    const leased = { ...row, attempts, owner, until: now + LEASE };
    return [stepOf('claim', worker, { ...hold(state, worker, leased), row: leased })];
  }

  function ofHolder(state: LeaseState, worker: 0 | 1): LeaseStep[] {
    const held = state.held[worker];
    if (held === null) return [];
    const crash = stepOf('crash', worker, { ...hold(state, worker, null), crashes: state.crashes + 1 });
    const write = (act: Act, change: Partial<Row>, more: Partial<LeaseState> = {}): LeaseStep => {
      const isLost = guards.owner && state.row.owner !== held.owner;
      if (isLost) return { ...stepOf(act, worker, hold(state, worker, null)), isLost };
      const row = { ...state.row, ...change };
      const next = { ...hold(state, worker, act === 'heartbeat' ? { ...held, ...change } : null), ...more, row };
      return stepOf(act, worker, next);
    };
    if (held.attempts > MAX_TRIES) return [write('bury', { ...unleased, due: null })];
    if (guards.poison) return [crash];
    const later = state.now + 1;
    const steps = [
      write('complete', { ...unleased, due: null, attempts: 0, waits: 0 }, { effects: state.effects + 1 }),
      write('release', { ...unleased, attempts: held.attempts - 1, due: held.due }),
      write('heartbeat', { attempts: 1, waits: 0, until: state.now + LEASE }),
    ];
    if (state.crashes < 2) steps.push(crash);
    if (state.defers < MAX_DEFERS) {
      const defers = state.defers + 1;
      steps.push(write('defer', { ...unleased, due: later, waits: 0 }, { defers }));
      const waits = { ...unleased, due: later, attempts: held.attempts - 1, waits: held.waits + 1 };
      steps.push(write('wait', waits, { defers }));
    }
    return steps;
  }

  const isRest = ({ row }: LeaseState): boolean => row.due === null && row.owner === null;
  return {
    initial: {
      ...{ now: 0, row: { due: 0, attempts: 0, waits: 0, ...unleased }, held: [null, null] },
      effects: 0,
      crashes: 0,
      defers: 0,
    },
    steps: (state) => [
      ...workers.flatMap((worker) => [...claim(state, worker), ...ofHolder(state, worker)]),
      ...(state.now < END ? [stepOf('tick', 0, { ...state, now: state.now + 1 })] : []),
    ],
    wrong: ({ effects, crashes }) => {
      if (effects > 1) return 'the work was done twice';
      return guards.poison && crashes > MAX_TRIES ? 'it kills more processes than it has tries' : null;
    },
    // The clock of the model ends; a lease that is still running then would have run out.
    isRest: (state) => isRest(state) || state.now === END,
  };
}

function hold(state: LeaseState, worker: 0 | 1, row: Row | null): LeaseState {
  return { ...state, held: worker === 0 ? [row, state.held[1]] : [state.held[0], row] };
}

function stepOf(act: Act, worker: 0 | 1, next: LeaseState): LeaseStep {
  return { act, worker, next: ranked(next), isLost: false, name: `${act} ${worker}` };
}

function ownersOf({ row, held }: LeaseState): number[] {
  return [row, ...held].flatMap((each) => each?.owner ?? []);
}

function ranked(state: LeaseState): LeaseState {
  const rank = renumbered(ownersOf(state));
  const numbered = <T extends Row | null>(row: T): T =>
    row && row.owner !== null ? { ...row, owner: rank(row.owner) } : row;
  return { ...state, row: numbered(state.row), held: [numbered(state.held[0]), numbered(state.held[1])] };
}
