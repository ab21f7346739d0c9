import type UPlot from 'uplot';
import { dayOf, timeOfDay } from '../lib/ages.js';

export const DAY_SECONDS = 86_400;
/** Minimum distance between two time labels, in pixels. */
export const LABEL_WIDTH = 64;

/** A colour for drawing on a canvas, read from a hidden element, because the themes are in the style sheet. */
export function colourOf(element: Element, name: string): string {
  const sample = element.querySelector(`i.${name}`);
  return sample ? getComputedStyle(sample).color : '';
}

const HALF_HOUR = 1_800;
/** Steps for durations, in seconds. */
const timeSteps = [1, 2, 4, 8, 16].map((halves) => halves * HALF_HOUR);

/** Axes for time and values; values are numbers, or durations if `valueWords` is given. */
export function axesOf(element: Element, valueWords?: (value: number) => string): UPlot.Axis[] {
  const [soft, line] = ['soft', 'line'].map((name) => colourOf(element, name));
  const axis = { stroke: soft, ticks: { stroke: line }, font: '12px system-ui' };
  return [
    {
      ...axis,
      grid: { show: false },
      space: LABEL_WIDTH,
      values: (_, times, _axis, _space, step) => timeLabels(times, step),
    },
    {
      ...axis,
      grid: { stroke: line, width: 1 },
      size: 72,
      ...(valueWords && { size: 88, incrs: [...timeSteps], values: (_, values) => values.map(valueWords) }),
    },
  ];
}

const HOUR_SECONDS = 3_600;

/** From zero if nothing is less, else from a little below the lowest value; durations in seconds by whole hours. */
export function yRange(low: number, high: number, isDuration: boolean): [number, number] {
  if (isDuration) {
    return [Math.floor(low / HOUR_SECONDS) * HOUR_SECONDS, Math.max(1, Math.ceil(high / HOUR_SECONDS)) * HOUR_SECONDS];
  }
  const space = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return [low === 0 ? 0 : low - space, high + space];
}

/** Labels for times in seconds, in the browser's time zone; the first label of each day or year names it. */
export function timeLabels(times: readonly number[], step: number): string[] {
  const isOfDays = step >= DAY_SECONDS;
  const small = isOfDays ? dayOf : timeOfDay;
  const large = (at: number): string => (isOfDays ? String(new Date(at).getFullYear()) : dayOf(at));
  let shown = '';
  return times.map((time) => {
    const at = time * 1_000;
    if (large(at) === shown) return small(at);
    shown = large(at);
    return `${small(at)}\n${shown}`;
  });
}

/** Keeps a chart as wide as its element; returns a function that stops this. */
export function follow(element: Element, chart: UPlot, height: number): () => void {
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    chart.destroy();
  };
}
