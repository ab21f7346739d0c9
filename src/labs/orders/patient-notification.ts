/** Ways of informing a patient. */
export const notificationWays = ['phone', 'message', 'email', 'letter', 'in_person', 'app', 'other'] as const;
export type NotificationWay = (typeof notificationWays)[number];

/** Record that a patient was informed: by whom, when and how. */
export interface PatientNotification {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Name of the operator's key. */
  readonly by: string;
  readonly how: NotificationWay;
}

/** Columns of a record that the patient was informed; all null if there is none. */
export interface NotificationColumns {
  readonly told_at: number | null;
  readonly told_by: string | null;
  readonly told_how: NotificationWay | null;
}

/** The record in the columns; null if there is none. */
export function notificationIn({ told_at, told_by, told_how }: NotificationColumns): PatientNotification | null {
  return told_at === null || told_by === null || told_how === null ? null : { at: told_at, by: told_by, how: told_how };
}
