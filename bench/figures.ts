import { median } from './rounds.js';

/** Amount of measuring, and the callback for progress. */
export interface Plan {
  /** Counted rounds; one more goes before them. */
  readonly rounds: number;
  /** Share of the full amounts. */
  readonly scale: number;
  readonly step: (label: string) => void;
}

/** One measured number, what it is measured against, and the least ratio it is held to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The lowest and the highest of the rounds; null where there was one. */
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
  /** The lowest ratio that is good enough. */
  readonly floor?: number;
  readonly note?: string;
}

/** Medians of the rounds; the ratio is the median of the ratios of each round, so that what disturbs both cancels. */
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

/** Three significant digits are more than a shared machine can repeat. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

const headings = ['figure', 'value', 'spread', 'unit', 'against', 'ratio', 'floor', 'reached'] as const;

/** The figures as lines of a table, notes below it. */
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
