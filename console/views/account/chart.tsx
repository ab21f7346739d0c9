import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { TracedHealthRecord } from '../../lib/api.js';
import { axesOf, colourOf, follow, yRange } from '../../parts/plot.js';
import { hoursAndMinutes, isSeconds, linesOf, valuesOf } from './record-values.js';

const HEIGHT = 200;

/** Dash patterns distinguish the sources without colours. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

/** One numeric field of the records: a dot each, joined by a line for each source, which is broken at gaps. */
export default function Chart({
  records,
  number,
}: {
  readonly records: readonly TracedHealthRecord[];
  readonly number: string;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { times, lines } = linesOf(records, number);
  const isTime = records.some((record) => isSeconds(valuesOf(record), number));
  const points = times.filter((_, index) => lines.some(({ values }) => typeof values[index] === 'number')).length;
  const content = JSON.stringify([times, lines, isTime]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const [own, soft] = ['own', 'soft'].map((name) => colourOf(element, name));
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        ...(isTime && { scales: { y: { range: (_, low, high) => yRange(low, high, true) } } }),
        axes: axesOf(element, isTime ? hoursAndMinutes : undefined),
        series: [
          {},
          ...lines.map(({ source }, index) => ({
            label: source,
            stroke: index % 2 === 0 ? own : soft,
            width: 1.5,
            dash: [...(dashes[index % dashes.length] ?? [])],
            points: { show: true, size: 5 },
          })),
        ],
      },
      [[...times], ...lines.map(({ values }) => [...values])] as UPlot.AlignedData,
      element,
    );
    return follow(element, chart, HEIGHT);
  }, [content]);
  return (
    <figure className="chart">
      <div
        ref={box}
        role="img"
        aria-label={`${number.replaceAll('_', ' ')} of ${points} times; the table has each value`}
      >
        <i hidden className="own" />
        <i hidden className="soft" />
        <i hidden className="line" />
      </div>
      <figcaption>
        {number.replaceAll('_', ' ')}
        {lines.map(({ source }, index) => (
          <span key={source} className={`line-key k${index % dashes.length}`}>
            {source}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
