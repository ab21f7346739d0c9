import { median } from './rounds.js';

/** Amount of measurement, and a callback for progress. */
export interface Plan {
  /** Number of counted rounds; one uncounted round precedes them. */
  readonly rounds: number;
  /** Share of the full amounts. */
  readonly scale: number;
  /** Numbers of accounts at which the growth scenarios measure. */
  readonly sizes: readonly number[];
  /** Samples that each of these accounts has. */
  readonly samples: number;
  readonly step: (label: string) => void;
}

/** One measured number, its comparison, and the lowest acceptable ratio. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Lowest and highest value of the rounds; null if there was only one. */
  readonly spread: readonly [number, number] | null;
  readonly unit: string;
  /** The divisor of `ratio`; null if there is no comparison. */
  readonly baseline: string | null;
  readonly ratio: number | null;
  readonly floor: number | null;
  readonly reached: boolean | null;
  readonly note: string | null;
}

export interface Measured {
  readonly name: string;
  readonly unit: string;
  /** One per round. */
  readonly values: readonly number[];
  readonly baseline?: { readonly name: string; readonly values: readonly number[] };
  /** The lowest acceptable ratio. */
  readonly floor?: number;
  readonly note?: string;
}

/** Medians of the rounds. The ratio is the median of each round's ratio, so disturbances of both sides cancel out. */
export function figureOf({ name, unit, values, baseline, floor, note }: Measured): Figure {
  const ratios = baseline ? values.map((value, round) => value / (baseline.values[round] ?? Number.NaN)) : null;
  const ratio = ratios ? rounded(median(ratios)) : null;
  return {
    name,
    value: rounded(median(values)),
    spread: values.length < 2 ? null : [rounded(Math.min(...values)), rounded(Math.max(...values))],
    unit,
    baseline: baseline?.name ?? null,
    ratio,
    floor: floor ?? null,
    reached: floor === undefined || ratio === null ? null : ratio >= floor,
    note: note ?? null,
  };
}

/** Three significant digits; a shared machine cannot reproduce more. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

const headings = ['figure', 'value', 'spread', 'unit', 'against', 'ratio', 'floor', 'reached'] as const;

/** The figures as lines of a table, with notes below it. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [[...headings], ...figures.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [...rows, widths.map((width) => '-'.repeat(width))].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [heading = '', ...rest] = lines;
  const rule = rest.pop() ?? '';
  const notes = figures.flatMap((figure) => (figure.note === null ? [] : [`  ${figure.name}: ${figure.note}`]));
  return [heading, rule, ...rest, ...(notes.length > 0 ? ['', ...notes] : []), ''].join('\n');
}

function cellsOf(figure: Figure): string[] {
  return [
    figure.name,
    shown(figure.value),
    figure.spread?.map(shown).join(' to ') ?? '',
    figure.unit,
    figure.baseline ?? '',
    figure.ratio?.toString() ?? '',
    figure.floor?.toString() ?? '',
    figure.reached === null ? '' : figure.reached ? 'yes' : 'NO',
  ];
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
