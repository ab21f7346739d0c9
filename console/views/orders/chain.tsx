import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { local } from '../../lib/ages.js';
import type { TransactionDetailDto } from '../../lib/api.js';
import { shortened } from '../../lib/shortened.js';
import { StateShape } from '../../parts/state.js';
import { actOfOrder, actWords, isCancelled, originOf, stateOfOrder, statusWords } from './act.js';
import { BOX_HEIGHT, drawChain } from './chain-layout.js';

/** The orders of a transaction and their parents. The next action is shown beside its order. */
export function Chain({
  transaction,
  selected,
}: {
  readonly transaction: TransactionDetailDto;
  readonly selected: string;
}): ReactNode {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const drawing = drawChain(transaction.orders, width);
  return (
    <div className="chain" ref={ref}>
      {width > 0 && (
        <ol style={{ width: drawing.width, height: drawing.height }}>
          {drawing.boxes.map(({ order, box }) => {
            const { order_id, origin, status, status_at, created_at } = order;
            const act = actOfOrder(order, transaction, transaction.appointments);
            return (
              <li key={order_id} style={{ left: box.left, top: box.top, width: box.width, height: BOX_HEIGHT }}>
                <Link
                  href={`/orders/${order_id}`}
                  aria-current={order_id === selected ? 'true' : undefined}
                  className={[act !== null && act !== 'wait' && 'next', isCancelled(status) && 'cancelled']
                    .filter(Boolean)
                    .join(' ')}
                >
                  <span className="origin">
                    {originOf(origin)} <code>{shortened(order_id, 14)}</code>
                  </span>
                  <span className="state">
                    <StateShape state={stateOfOrder(status)} /> {statusWords(status)}
                  </span>
                  <span className="muted">{local(Date.parse(status_at ?? created_at))}</span>
                  {act !== null && <strong className="act-word">{actWords[act]}</strong>}
                </Link>
              </li>
            );
          })}
        </ol>
      )}
      <svg width={drawing.width} height={drawing.height} aria-hidden="true">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {drawing.arrows.map((path) => (
          <path key={path} d={path} markerEnd="url(#arrow)" />
        ))}
      </svg>
    </div>
  );
}
