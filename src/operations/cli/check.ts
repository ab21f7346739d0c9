/** `skipped`: it could not be looked at, and why is in the finding. */
const checkStates = ['ok', 'bad', 'skipped'] as const;
export type CheckState = (typeof checkStates)[number];

/** What was found at one place, in a sentence without a secret. */
export interface Check {
  readonly check: string;
  readonly state: CheckState;
  readonly finding: string;
}

/** One place to look at; shortens what every check says. */
export function place(check: string): Record<CheckState, (finding: string) => Check> {
  const say =
    (state: CheckState) =>
    (finding: string): Check => ({ check, state, finding });
  return { ok: say('ok'), bad: say('bad'), skipped: say('skipped') };
}
