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

export interface NewNotification extends PatientNotification {
  /** Epoch milliseconds. */
  readonly recordedAt: number;
  /** Only critical values that this version of the result, or an earlier one, brought; default: all. */
  readonly version?: number | undefined;
  /** Only critical values of these markers; default: all. */
  readonly markers?: readonly string[] | undefined;
}

/** Columns of a record that the patient was informed; all null if there is none. */
export interface NotificationColumns {
  readonly notified_at: number | null;
  readonly notified_by: string | null;
  readonly notified_how: NotificationWay | null;
}

/** The record in the columns; null if there is none. */
export function notificationIn({
  notified_at,
  notified_by,
  notified_how,
}: NotificationColumns): PatientNotification | null {
  return notified_at === null || notified_by === null || notified_how === null
    ? null
    : { at: notified_at, by: notified_by, how: notified_how };
}
