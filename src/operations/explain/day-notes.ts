import type { Resource } from '../../health/catalogue/catalogue.js';
import type { RejectedRange } from '../../health/catalogue/rejections.js';
import { conversionOf } from '../../health/catalogue/units.js';
import { type DaySpan, reachOf } from '../../health/clock/day-spans.js';
import type { DayMeasure, StandingOfDay } from '../../health/reads/stored-day.js';
import { overlaps } from '../../platform/platform/time.js';
import { counted, moment, word } from './words.js';

/**
 * Notes of a day beside its state, by the rules of docs/meaning.md. zone_assumed: the day is that of the
 * account's time zone, because no record near it says its offset · zone_unknown: it is the UTC day · points_repeated: a
 * response had several values for one point; the last one is stored · points_rejected: other data that cannot be
 * stored · mixed_units: numbers are converted to one unit · incomparable_units, incomparable_kinds: there are no
 * numbers, because no conversion is known, or because different things were measured · superseded: records of a former
 * upstream user that those of the present one replace · hidden_by_better: records that better ones cover, or stand for
 * the day in place of · forecasts: they do not count · no_readings: samples with values that nobody can have · thinned:
 * hourly sums are kept of samples older than SAMPLES_KEEP_DAYS · asked_again: regular pulls still include the day.
 */
export const noteCodes = [
  'zone_assumed',
  'zone_unknown',
  'points_repeated',
  'points_rejected',
  'mixed_units',
  'incomparable_units',
  'incomparable_kinds',
  'superseded',
  'hidden_by_better',
  'forecasts',
  'no_readings',
  'thinned',
  'asked_again',
] as const;
export type NoteCode = (typeof noteCodes)[number];

export interface DayNote {
  readonly code: NoteCode;
  /** Null if it is not about one source. */
  readonly provider: string | null;
  /** Number of records that it is about; null if it is about the whole day. */
  readonly records: number | null;
  /** Epoch milliseconds; only of `asked_again`. */
  readonly until: number | null;
  /** Units or reasons; codes only. */
  readonly words: readonly string[];
}

/** A day of one source. */
export interface NotedDay {
  readonly provider: string;
  readonly resource: Resource;
  readonly span: DaySpan;
  readonly rejected: readonly RejectedRange[];
  /** Of this date; of all sources or of this one. */
  readonly standing: readonly StandingOfDay[];
  /** Of this date and all sources. */
  readonly measures: readonly DayMeasure[];
  /** The next regular pull includes the day, and pulls do so this long after it. */
  readonly due: boolean;
  readonly latenessMs: number;
}

/** Notes of the day itself. */
export function notesOfClock({ by, zone }: Pick<DaySpan, 'by' | 'zone'>): DayNote[] {
  if (by === 'fallback_time_zone') return [note('zone_assumed', { words: zone === null ? [] : [zone] })];
  return by === 'utc' ? [note('zone_unknown')] : [];
}

/** Notes of the day of one source. */
export function notesOfSource(day: NotedDay): DayNote[] {
  const { provider, resource, span, due, latenessMs } = day;
  const until = reachOf(resource, span).end + latenessMs;
  return [
    ...rejectionNotes(day),
    ...measureNotes(day),
    ...day.standing
      .filter((own) => own.provider === provider)
      .flatMap(({ superseded, hidden, forecasts, noReadings = 0, thinned = 0, sentAgain = false }) => [
        ...counts('superseded', superseded, provider),
        ...counts('hidden_by_better', hidden, provider),
        ...counts('forecasts', forecasts, provider),
        ...counts('no_readings', noReadings, provider),
        ...counts('thinned', thinned, provider).map((one) => ({ ...one, words: sentAgain ? [SENT_AGAIN] : [] })),
      ]),
    ...(due ? [note('asked_again', { provider, until })] : []),
  ];
}

/** Word of `thinned`: upstream has sent samples of these hours since. */
const SENT_AGAIN = 'sent_again';

/** Their codes, each once, in the order of `noteCodes`. */
export function codesOf(notes: readonly DayNote[]): NoteCode[] {
  return noteCodes.filter((code) => notes.some((one) => one.code === code));
}

function rejectionNotes({ provider, resource, span, rejected }: NotedDay): DayNote[] {
  const reach = reachOf(resource, span);
  const found = rejected.filter((range) => overlaps(range, reach));
  const isRepeated = ({ reason }: RejectedRange): boolean => reason === 'repeated';
  const sum = (of: readonly RejectedRange[]): number => of.reduce((before, { count }) => before + count, 0);
  const others = found.filter((range) => !isRepeated(range));
  const words = [...new Set(others.map(({ reason }) => word(reason)))].sort();
  return [
    ...counts('points_repeated', sum(found.filter(isRepeated)), provider),
    ...counts('points_rejected', sum(others), provider).map((one) => ({ ...one, words })),
  ];
}

/** A total is of all sources together, a measure of one. */
function measureNotes({ provider, resource, measures }: NotedDay): DayNote[] {
  const isTotal = resource.statistics === 'total';
  const own = measures.filter((one) => isTotal || one.provider === provider);
  if (resource.statistics === null || !own.some((one) => one.provider === provider)) return [];
  const codes = new Map<NoteCode, ReadonlySet<string>>();
  const types = isTotal ? [null] : [...new Set(own.map(({ sourceType }) => sourceType))];
  for (const type of types) {
    const of = type === null ? own : own.filter(({ sourceType }) => sourceType === type);
    const kinds = new Set(of.map(({ place, subSeries }) => (resource.byType ? subSeries : isTotal ? '' : place)));
    if (kinds.size > 1) codes.set('incomparable_kinds', new Set());
    const units = new Set(of.map(({ unit }) => unit));
    if (units.size < 2) continue;
    const isConverted = [...units].every((unit) => conversionOf(resource, unit) !== null);
    codes.set(isConverted ? 'mixed_units' : 'incomparable_units', new Set([...units].map((unit) => unit ?? 'none')));
  }
  return [...codes].map(([code, words]) => note(code, { provider, words: [...words].sort() }));
}

function counts(code: NoteCode, records: number, provider: string): DayNote[] {
  return records === 0 ? [] : [note(code, { records, provider })];
}

function note(code: NoteCode, more: Partial<DayNote> = {}): DayNote {
  return { provider: null, records: null, until: null, words: [], ...more, code };
}

type Say = (told: DayNote) => string;
const of = ({ provider }: DayNote): string => word(provider, 'the source');
const records = ({ records: count }: DayNote, one = 'record'): string => counted(count ?? 0, one);
const are = ({ records: count }: DayNote): string => (count === 1 ? 'is' : 'are');
const listed = ({ words }: DayNote): string => words.join(', ');

/** For operators. */
const sentences: Readonly<Record<NoteCode, Say>> = {
  zone_assumed: (told) =>
    `The day is that of ${listed(told)}, the account's time zone: no record near it says its offset.`,
  zone_unknown: () => 'The day is the UTC day, because the time zone of the person is not known.',
  points_repeated: (told) =>
    `${of(told)} sent ${records(told, 'earlier value')} of points that it sent again with another one; the last is stored.`,
  points_rejected: (told) =>
    `${records(told)} of ${of(told)} that may belong to the day cannot be stored (${listed(told)}).`,
  mixed_units: (told) =>
    `Samples of ${of(told)} have several units (${listed(told)}); numbers of the day are converted to one.`,
  incomparable_units: (told) =>
    `Samples of ${of(told)} have units without a known conversion (${listed(told)}), so the day has no numbers.`,
  incomparable_kinds: (told) =>
    `Samples of ${of(told)} were measured at several places or are of several types, so the day has no numbers.`,
  superseded: (told) =>
    `${records(told)} of ${of(told)} ${are(told)} superseded by those of the present upstream user.`,
  hidden_by_better: (told) =>
    `${records(told)} of ${of(told)} ${are(told)} not shown for the day, because better ones cover the time or stand for it.`,
  forecasts: (told) => `${records(told)} of ${of(told)} ${are(told)} only a forecast.`,
  no_readings: (told) =>
    `${records(told, 'sample')} of ${of(told)} ${told.records === 1 ? 'has a value' : 'have values'} that nobody can have, such as 0 for "no reading", and ${told.records === 1 ? 'does' : 'do'} not count.`,
  thinned: (told) =>
    `${records(told, 'sample')} of ${of(told)} ${are(told)} kept as hourly sums (SAMPLES_KEEP_DAYS).${
      told.words.includes(SENT_AGAIN) ? ' It has sent samples of these hours since, which are not stored.' : ''
    }`,
  asked_again: ({ until, ...told }) =>
    `${of({ until, ...told })} is asked for the day again until ${moment(until ?? 0)}.`,
};

export function sayNote(told: DayNote): string {
  return sentences[told.code](told);
}

/** For the person. */
const ownSentences: Readonly<Record<NoteCode, Say>> = {
  zone_assumed: (told) => `The day is counted in your time zone, ${listed(told)}.`,
  zone_unknown: () => 'Your time zone is not known, so the day is counted in UTC.',
  points_repeated: () => 'Your source sent several values for one time; the last one counts.',
  points_rejected: () => 'Your source sent values that cannot be used.',
  mixed_units: () => 'Your source used several units; the numbers are converted to one.',
  incomparable_units: () => 'Your source used units that cannot be converted, so there are no numbers for the day.',
  incomparable_kinds: () => 'Different things were measured, so there is no common number for the day.',
  superseded: () => 'Records from before you connected again are replaced by newer ones.',
  hidden_by_better: () => 'Some records are not shown, because better ones cover the same time.',
  forecasts: () => 'Forecasts do not count.',
  no_readings: () => 'Values that nobody can have, such as a heart rate of 0, do not count.',
  thinned: () => 'Only hourly numbers of the day are kept, because it is long ago.',
  asked_again: ({ until }) => `Your source is asked again until ${moment(until ?? 0)}.`,
};

export function sayOwnNote(told: DayNote): string {
  return ownSentences[told.code](told);
}
