import 'uplot/dist/uPlot.min.css';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import UPlot from 'uplot';
import type { ActivityDto } from '../../lib/api.js';
import { axesOf, colourOf, follow } from '../../parts/plot.js';

const HEIGHT = 160;
const HOUR_SECONDS = 3_600;

/** Range in epoch seconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface HoursChartProps {
  readonly hours: ActivityDto['messages'];
  readonly chosen: Stretch | null;
  readonly onChoose: (stretch: Stretch) => void;
}

/** uPlot extends a drag to the edge when the mouse leaves; here only if it leaves to the left or right. */
const leavesBeside: UPlot.Cursor.MouseListenerFactory = (plot, _target, leave) => (event) => {
  const { left, right } = plot.over.getBoundingClientRect();
  if (event.clientX < left || event.clientX >= right) leave(event);
  return null;
};

/**
 * Messages received and processed in each hour. Only the processed ones if waiting messages are not counted. Dragging
 * selects hours.
 */
export default function HoursChart({ hours, chosen, onChoose }: HoursChartProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const choose = useEffectEvent(onChoose);
  // New numbers wait until a drag has ended, because redrawing would end it.
  const [held, setHeld] = useState<string | null>(null);
  const content = held ?? JSON.stringify([hours, chosen]);
  const hold = (): void => {
    setHeld(content);
    window.addEventListener('mouseup', () => setHeld(null), { once: true });
  };
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const [own, waiting] = ['own', 'wait'].map((name) => colourOf(element, name));
    const bars = UPlot.paths.bars?.({ size: [0.8, 40] });
    // Bars are centred on their hour.
    const middles = hours.map(({ start }) => Date.parse(start) / 1_000 + HOUR_SECONDS / 2);
    const [first = 0, last = 0] = [middles[0], middles.at(-1)];
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: {
          ...{ x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
          bind: { mouseleave: leavesBeside },
        },
        scales: {
          x: { range: [first - HOUR_SECONDS / 2, last + HOUR_SECONDS / 2] },
          y: { range: (_, _low, high) => [0, Math.max(1, high * 1.05)] },
        },
        axes: axesOf(element),
        series: [
          {},
          { label: 'received', stroke: waiting, width: 1, paths: bars, points: { show: false } },
          { label: 'processed', fill: own, stroke: own, width: 1, paths: bars, points: { show: false } },
        ],
        hooks: {
          setSelect: [
            (plot) => {
              const { left, width } = plot.select;
              if (width === 0) return;
              const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
              choose({
                from: Math.floor(from / HOUR_SECONDS) * HOUR_SECONDS,
                to: Math.ceil(to / HOUR_SECONDS) * HOUR_SECONDS,
              });
            },
          ],
          drawClear: [
            (plot) => {
              if (!chosen) return;
              const [left, right] = [chosen.from, chosen.to].map((at) => plot.valToPos(at, 'x'));
              plot.setSelect(
                { left: left ?? 0, width: (right ?? 0) - (left ?? 0), top: 0, height: plot.over.clientHeight },
                false,
              );
            },
          ],
        },
      },
      [
        middles,
        hours.map(({ processed, waiting: still }) => (still === null ? null : processed + still || null)),
        hours.map(({ processed }) => processed || null),
      ],
      element,
    );
    return follow(element, chart, HEIGHT);
  }, [content]);
  const total = hours.reduce((sum, { processed }) => sum + processed, 0);
  return (
    <figure className="chart hours">
      <div
        ref={box}
        onMouseDown={hold}
        role="img"
        aria-label={`${total.toLocaleString('en')} messages processed in 24 hours; the table has each hour`}
      >
        <i hidden className="own" />
        <i hidden className="wait" />
        <i hidden className="soft" />
        <i hidden className="line" />
      </div>
      <figcaption>
        <span>filled: processed</span>
        <span>outline: received</span>
        <span>drag to select a time range for all views</span>
      </figcaption>
    </figure>
  );
}
