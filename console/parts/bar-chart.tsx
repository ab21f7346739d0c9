import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { axesOf, colourOf, DAY_SECONDS, follow, LABEL_WIDTH, timeLabels, yRange } from './plot.js';

const HEIGHT = 200;
const MAX_BAR = 40;
/** A day with one bar is no wider than one of a week. */
const MIN_DAYS = 7;

/** A value from `low` to `high` on one day. The bars of a day share its width, in their order. */
export interface Bar {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly low: number;
  readonly high: number;
  /** A line across the bar, such as the mean. */
  readonly mark?: number;
  readonly isHollow: boolean;
  /** Bars of the second, fourth, ... group have a lighter colour. */
  readonly group: string;
}

/** A local midnight in epoch seconds, so that the axis shows the day as it is named. */
function midnight(day: string, days = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + days).getTime() / 1_000;
}

/** Labels in the middle of days, as many as fit. */
function axesOfDays(element: Element, valueWords?: (value: number) => string): UPlot.Axis[] {
  const [time, values] = axesOf(element, valueWords);
  const splits = (plot: UPlot): number[] => {
    const { min = 0, max = 0 } = plot.scales['x'] ?? {};
    const days = Math.round((max - min) / DAY_SECONDS);
    const every = Math.max(1, Math.ceil((days * LABEL_WIDTH * UPlot.pxRatio) / plot.bbox.width));
    const first = new Date(min * 1_000);
    const noon = (day: number): number =>
      new Date(first.getFullYear(), first.getMonth(), first.getDate() + day, 12).getTime() / 1_000;
    return Array.from({ length: Math.ceil(days / every) }, (_, index) => noon(days - 1 - index * every)).reverse();
  };
  return [{ ...time, splits, values: (_, times) => timeLabels(times, DAY_SECONDS) }, values ?? {}];
}

/** Bars by day; `label` is read by screen readers. */
export default function BarChart({
  bars,
  label,
  valueWords,
  children,
}: {
  readonly bars: readonly Bar[];
  readonly label: string;
  /** For durations in seconds. */
  readonly valueWords?: ((value: number) => string) | undefined;
  /** The caption. */
  readonly children: ReactNode;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const content = JSON.stringify(bars);
  useEffect(() => {
    const element = box.current;
    if (!element || bars.length === 0) return;
    const [own = '', soft = '', ground = ''] = ['own', 'soft', 'ground'].map((name) => colourOf(element, name));
    const days = [...new Set(bars.map(({ day }) => day))].sort();
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const groups = [...new Set(bars.map(({ group }) => group))];
    const [low, high] = [Math.min(...bars.map((bar) => bar.low)), Math.max(...bars.map((bar) => bar.high))];
    const draw = (plot: UPlot): void => {
      const { ctx: context, bbox } = plot;
      const scale = UPlot.pxRatio;
      context.save();
      context.beginPath();
      context.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      context.clip();
      context.lineWidth = scale;
      for (const day of days) {
        const ofDay = bars.filter((bar) => bar.day === day);
        const [from, to] = [midnight(day), midnight(day, 1)].map((at) => plot.valToPos(at, 'x', true)) as [
          number,
          number,
        ];
        const width = Math.min(MAX_BAR * scale, (to - from) * 0.8) / ofDay.length;
        const start = (from + to - width * ofDay.length) / 2;
        for (const [index, bar] of ofDay.entries()) {
          const [top, bottom] = [bar.high, bar.low].map((value) => plot.valToPos(value, 'y', true)) as [number, number];
          const colour = groups.indexOf(bar.group) % 2 === 0 ? own : soft;
          const height = Math.max(2 * scale, bottom - top);
          const left = start + index * width;
          const inner = Math.max(scale, width - (ofDay.length > 1 ? scale : 0));
          if (bar.isHollow) {
            context.strokeStyle = colour;
            context.strokeRect(left + scale / 2, top + scale / 2, inner - scale, height - scale);
          } else {
            context.fillStyle = colour;
            context.fillRect(left, top, inner, height);
          }
          if (bar.mark === undefined) continue;
          context.fillStyle = bar.isHollow ? colour : ground;
          context.fillRect(left, plot.valToPos(bar.mark, 'y', true) - scale, inner, 2 * scale);
        }
      }
      context.restore();
    };
    const shown = Math.max(MIN_DAYS, (midnight(last) - midnight(first)) / DAY_SECONDS + 1);
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: [midnight(last, 1 - Math.round(shown)), midnight(last, 1)] },
          y: { range: () => yRange(low, high, valueWords !== undefined) },
        },
        axes: axesOfDays(element, valueWords),
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: { draw: [draw] },
      },
      [days.map((day) => midnight(day)), days.map(() => high)],
      element,
    );
    return follow(element, chart, HEIGHT);
  }, [content]);
  return (
    <figure className="chart">
      <div ref={box} role="img" aria-label={label}>
        <i hidden className="own" />
        <i hidden className="soft" />
        <i hidden className="line" />
        <i hidden className="ground" />
      </div>
      <figcaption>{children}</figcaption>
    </figure>
  );
}
