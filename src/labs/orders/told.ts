/** Ways of informing a patient. */
export const waysToTell = ['phone', 'message', 'email', 'letter', 'in_person', 'app', 'other'] as const;
export type WayToTell = (typeof waysToTell)[number];

/** Record that a patient was informed: by whom, when and how. */
export interface Told {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Name of the operator's key. */
  readonly by: string;
  readonly how: WayToTell;
}

/** The columns of a record about a patient who is to be informed; all null before. */
export interface ToldColumns {
  readonly told_at: number | null;
  readonly told_by: string | null;
  readonly told_how: WayToTell | null;
}

/** Null while the patient was not informed. */
export function toldIn({ told_at, told_by, told_how }: ToldColumns): Told | null {
  return told_at === null || told_by === null || told_how === null ? null : { at: told_at, by: told_by, how: told_how };
}
