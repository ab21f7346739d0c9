import type { ConclusionCode } from './explain-rules.js';

interface Told {
  /** The resource in words. */
  readonly what: string;
  readonly day: string;
}

/** Sentences for the person about a day; operators see the sentences of explain-rules.ts. */
const sentences: Readonly<Record<ConclusionCode, (told: Told) => string>> = {
  not_begun: ({ day }) => `${day} has not begun yet.`,
  account_erasing: () => 'Your data is being deleted.',
  received_whole: ({ what, day }) => `Everything that your sources have of ${what} for ${day} is here.`,
  received_so_far: ({ what, day }) => `This is your ${what} of ${day} so far.`,
  received_in_part: ({ what, day }) => `Some of your ${what} of ${day} is here; more may still come.`,
  gone_upstream: ({ what, day }) => `Your source no longer has the ${what} of ${day} that it sent before.`,
  forecast_only: ({ what, day }) => `For ${day} there is only a forecast of ${what}.`,
  not_over: ({ what, day }) => `${day} is not over, and no ${what} has arrived so far.`,
  confirmed_empty: ({ what, day }) => `Your sources have no ${what} for ${day}.`,
  account_pending: () => 'Your account is still being set up.',
  outside_ingestion: ({ day }) => `${day} is outside the time for which data is collected.`,
  not_synced: ({ what }) => `This app does not collect ${what}.`,
  message_dead: missing('it could not be processed'),
  message_waiting: ({ what, day }) => `Your ${what} of ${day} has arrived and is being processed.`,
  not_heard: missing('new data is delayed at the moment'),
  never_connected: () => 'No source is connected.',
  provider_retired: () => 'The service of your source has ended; connect its successor.',
  upstream_pull_failed: missing('your source could not be read'),
  connection_error: () => 'The connection to your source is broken; connect it again.',
  pull_open: coming,
  upstream_pull_open: coming,
  points_rejected: missing('your source sent values that cannot be used'),
  pull_due: coming,
  resource_unavailable: ({ what }) => `Your source does not share ${what}, or you did not permit it.`,
  pull_failed: missing('it could not be fetched'),
  disconnected: () => 'Your source is not connected any more.',
  never_pulled: coming,
  late_data_possible: coming,
  connection_gap: missing('your source was not connected all the time'),
  silence: missing('new data is delayed at the moment'),
  not_heard_since: ({ what, day }) => `No ${what} of ${day} has arrived; your device has sent nothing since.`,
  not_proven: coming,
  never_asked: coming,
};

export function ownConclusion(code: ConclusionCode, told: Told): string {
  return sentences[code](told);
}

function coming({ what, day }: Told): string {
  return `No ${what} of ${day} has arrived yet; it may still come.`;
}

function missing(why: string): (told: Told) => string {
  return ({ what, day }) => `There is no ${what} of ${day}: ${why}.`;
}
