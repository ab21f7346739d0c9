import type UPlot from 'uplot';
import { dayOf, timeOfDay } from '../lib/ages.js';

const DAY_SECONDS = 86_400;
/** Least distance of two times, in pixels. */
const LABEL_WIDTH = 64;

/** The colour of a hidden sample inside of an element: the themes are in the style sheet. */
export function colourOf(element: Element, name: string): string {
  const sample = element.querySelector(`i.${name}`);
  return sample ? getComputedStyle(sample).color : '';
}

const HALF_HOUR = 1_800;
/** Distances of lengths of time, in seconds. */
const timeSteps = [1, 2, 4, 8, 16].map((halves) => halves * HALF_HOUR);

/** The axes of time and of values; plain numbers, or lengths of time if they have words. */
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

/** Times in seconds in the zone of the browser, with the day or year where it begins. */
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

/** Keeps a chart as wide as its element; returns what ends that. */
export function follow(element: Element, chart: UPlot, height: number): () => void {
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    chart.destroy();
  };
}
