/** `skipped`: not checked, for the reason in the finding. */
export const checkStates = ['ok', 'bad', 'skipped'] as const;
export type CheckState = (typeof checkStates)[number];

export interface Check {
  readonly check: string;
  readonly state: CheckState;
  readonly finding: string;
}

/** Constructors of results of one check. */
export function place(check: string): Record<CheckState, (finding: string) => Check> {
  const say =
    (state: CheckState) =>
    (finding: string): Check => ({ check, state, finding });
  return { ok: say('ok'), bad: say('bad'), skipped: say('skipped') };
}
