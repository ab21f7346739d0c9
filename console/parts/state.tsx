import type { ReactNode } from 'react';
import { type State, states } from '../lib/states.js';

export type { State };

/** The shape of a state with its label. */
export function StateMark({ state, children }: { readonly state: State; readonly children?: ReactNode }): ReactNode {
  return (
    <span className="state">
      <StateShape state={state} />
      <span>{children ?? states[state]}</span>
    </span>
  );
}

/** Only the shape, for where the label is elsewhere. */
export function StateShape({ state }: { readonly state: State }): ReactNode {
  return (
    <svg className={`shape is-${state}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {state === 'waiting' && <path d="M-1 5 5 -1M-1 9 9 -1M-1 13 13 -1M3 13 13 3M7 13 13 7" className="hatch" />}
      {state === 'failed' ? <path d="M0 0h7l5 5v7H0z" /> : <rect x="0.75" y="0.75" width="10.5" height="10.5" />}
      {state === 'gone' && <path d="M2 2l8 8M10 2l-8 8" className="cross" />}
    </svg>
  );
}

export function Legend(): ReactNode {
  return (
    <ul className="legend" aria-label="States">
      {(Object.keys(states) as State[]).map((state) => (
        <li key={state}>
          <StateMark state={state} />
        </li>
      ))}
    </ul>
  );
}
