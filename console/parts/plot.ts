import type UPlot from 'uplot';

const DAY_SECONDS = 86_400;
/** Least distance of two times, in pixels: a time of day has up to eight letters. */
const LABEL_WIDTH = 80;

/** The colour of a hidden sample inside of an element: the themes are in the style sheet. */
export function colourOf(element: Element, name: string): string {
  const sample = element.querySelector(`i.${name}`);
  return sample ? getComputedStyle(sample).color : '';
}

/** The axes of time and of values; plain numbers unless they have words. */
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
      ...(valueWords && { values: (_, values) => values.map(valueWords) }),
    },
  ];
}

/** Times in seconds in the words of the browser's language and zone, with the day or year where it begins. */
export function timeLabels(times: readonly number[], step: number): string[] {
  const isOfDays = step >= DAY_SECONDS;
  const day = (at: Date): string => at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  const small = (at: Date): string =>
    isOfDays ? day(at) : at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  const large = (at: Date): string => (isOfDays ? String(at.getFullYear()) : day(at));
  let shown = '';
  return times.map((time) => {
    const at = new Date(time * 1_000);
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
