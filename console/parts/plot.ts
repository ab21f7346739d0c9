import type UPlot from 'uplot';

/** The colour of a hidden sample inside of an element: the themes are in the style sheet. */
export function colourOf(element: Element, name: string): string {
  const sample = element.querySelector(`i.${name}`);
  return sample ? getComputedStyle(sample).color : '';
}

export function axisOf(element: Element): UPlot.Axis {
  const [soft, line] = ['soft', 'line'].map((name) => colourOf(element, name));
  return { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: '12px system-ui' };
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
