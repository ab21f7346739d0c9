import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { ActivityDto } from '../../lib/api.js';
import { axisOf, colourOf, follow } from '../../parts/plot.js';

const HEIGHT = 160;

/** Messages received and processed in each hour; of hours whose waiting messages are not counted, only the latter. */
export default function HoursChart({ hours }: { readonly hours: ActivityDto['messages'] }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const content = JSON.stringify(hours);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const [own, waiting] = ['own', 'wait'].map((name) => colourOf(element, name));
    const bars = UPlot.paths.bars?.({ size: [0.8, 40] });
    const axis = axisOf(element);
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, _low, high) => [0, Math.max(1, high)] } },
        axes: [axis, { ...axis, size: 56 }],
        series: [
          {},
          { label: 'received', stroke: waiting, width: 1, paths: bars, points: { show: false } },
          { label: 'processed', fill: own, stroke: own, width: 1, paths: bars, points: { show: false } },
        ],
      },
      [
        hours.map(({ start }) => Date.parse(start) / 1_000),
        hours.map(({ processed, waiting: still }) => (still === null ? null : processed + still)),
        hours.map(({ processed }) => processed),
      ],
      element,
    );
    return follow(element, chart, HEIGHT);
  }, [content]);
  const total = hours.reduce((sum, { processed }) => sum + processed, 0);
  return (
    <figure className="chart">
      <div
        ref={box}
        role="img"
        aria-label={`${total.toLocaleString()} messages processed in 24 hours; the table has each hour`}
      >
        <i hidden className="own" />
        <i hidden className="wait" />
        <i hidden className="soft" />
        <i hidden className="line" />
      </div>
      <figcaption>
        <span>filled: processed</span>
        <span>outline: received</span>
      </figcaption>
    </figure>
  );
}
