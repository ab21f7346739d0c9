import type { State } from '../../lib/states.js';
import type { CalendarRow, Columns } from './calendar.js';

/** Height of a row and of its cells in pixels, and the least width of a day. */
export interface Size {
  readonly row: number;
  readonly cell: number;
  readonly day: number;
}

export const small: Size = { row: 24, cell: 16, day: 2 };
/** Large enough for a finger. */
export const large: Size = { row: 32, cell: 24, day: 28 };

/** Colours of the states in the current theme. */
export type Palette = Readonly<Record<State | 'ground', string>>;

type Paint = (context: CanvasRenderingContext2D, left: number, top: number, width: number) => void;

/**
 * Draws all rows. Neighbouring days with the same state are one shape, so that runs stand out: filled, outlined,
 * hatched, notched, dotted or crossed, each recognisable without its colour.
 */
export function drawCalendar(
  canvas: HTMLCanvasElement,
  rows: readonly CalendarRow[],
  columns: Columns,
  { palette, size }: { readonly palette: Palette; readonly size: Size },
): void {
  const scale = window.devicePixelRatio;
  canvas.width = Math.ceil(columns.width * scale);
  canvas.height = Math.ceil(rows.length * size.row * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const paints = paintsOf(palette, size.cell, { scale, own: context });
  const top = (size.row - size.cell) / 2;
  for (const [index, { spans }] of rows.entries()) {
    for (const { start, length, state } of spans) {
      for (const [left, width] of stretchesOf(columns, start, length)) {
        paints[state](context, left, index * size.row + top, width);
      }
    }
  }
}

/** Left edges and widths of the parts of a span between week gaps. */
function stretchesOf({ lefts, day }: Columns, start: number, length: number): [left: number, width: number][] {
  const parts: [left: number, width: number][] = [];
  for (let index = start; index < start + length; index++) {
    const left = lefts[index] ?? 0;
    const last = parts.at(-1);
    if (last && Math.abs(last[0] + last[1] - left) < 0.01) last[1] += day;
    else parts.push([left, day]);
  }
  return parts;
}

function paintsOf(
  palette: Palette,
  cell: number,
  { scale, own }: { readonly scale: number; readonly own: CanvasRenderingContext2D },
): Readonly<Record<State, Paint>> {
  const filled = (style: string | CanvasPattern): Paint => {
    return (context, left, top, width) => {
      context.fillStyle = style;
      context.fillRect(left, top, width, cell);
    };
  };
  const outlined = (style: string): Paint => {
    return (context, left, top, width) => {
      context.strokeStyle = style;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, top + 0.5, Math.max(1, width - 1), cell - 1);
    };
  };
  const hatch = tile(own, scale, 5, (context, side) => {
    context.strokeStyle = palette.waiting;
    context.lineWidth = 1;
    for (const shift of [-side, 0, side]) line(context, [shift - 1, side + 1], [shift + side + 1, -1]);
  });
  const cross = tile(own, scale, 8, (context, side) => {
    context.strokeStyle = palette.gone;
    line(context, [0, 0], [side, side]);
    line(context, [0, side], [side, 0]);
  });
  return {
    received: filled(palette.received),
    empty: outlined(palette.empty),
    waiting: (context, left, top, width) => {
      filled(hatch)(context, left, top, width);
      outlined(palette.waiting)(context, left, top, width);
    },
    failed: (context, left, top, width) => {
      const notch = Math.min(6, width);
      context.fillStyle = palette.failed;
      context.beginPath();
      context.moveTo(left, top);
      context.lineTo(left + width - notch, top);
      context.lineTo(left + width, top + 6);
      context.lineTo(left + width, top + cell);
      context.lineTo(left, top + cell);
      context.fill();
    },
    unknown: (context, left, top, width) => {
      context.fillStyle = palette.unknown;
      for (let x = left + 0.5; x < left + width - 0.5; x += 3) {
        context.fillRect(x, top + 2, 1, 1);
        context.fillRect(x, top + cell - 3, 1, 1);
      }
    },
    gone: (context, left, top, width) => {
      filled(cross)(context, left, top, width);
      outlined(palette.gone)(context, left, top, width);
    },
  };
}

function line(context: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]): void {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** A pattern from a square of `side` pixels. */
function tile(
  own: CanvasRenderingContext2D,
  scale: number,
  side: number,
  draw: (context: CanvasRenderingContext2D, side: number) => void,
): CanvasPattern | string {
  const canvas = document.createElement('canvas');
  canvas.width = side * scale;
  canvas.height = side * scale;
  const context = canvas.getContext('2d');
  if (!context) return 'transparent';
  context.scale(scale, scale);
  draw(context, side);
  const pattern = own.createPattern(canvas, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern ?? 'transparent';
}
