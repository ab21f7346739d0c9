/** Fields that are needed to draw the chain of an order. */
export interface ChainOrder {
  readonly order_id: string;
  readonly parent_id: string | null;
}

export interface ChainNode<T extends ChainOrder> {
  readonly order: T;
  /** Steps from an order without a parent. */
  readonly step: number;
  /** Lane among orders of the same step. */
  readonly lane: number;
}

export interface ChainEdge {
  readonly from: string;
  readonly to: string;
}

export interface ChainLayout<T extends ChainOrder> {
  readonly nodes: readonly ChainNode<T>[];
  readonly edges: readonly ChainEdge[];
  readonly steps: number;
  readonly lanes: number;
}

/**
 * Places the orders of a transaction, given in order of creation. An order is one step after its parent, in the
 * parent's lane if that is free there, else in the next free one. A parent that is missing from the list or would close
 * a cycle is ignored.
 */
export function chainLayout<T extends ChainOrder>(orders: readonly T[]): ChainLayout<T> {
  const byId = new Map(orders.map((order) => [order.order_id, order]));
  const nodes = new Map<string, ChainNode<T>>();
  const edges: ChainEdge[] = [];
  const taken = new Set<string>();

  const place = (order: T, path: ReadonlySet<string>): ChainNode<T> => {
    const known = nodes.get(order.order_id);
    if (known) return known;
    const own = new Set([...path, order.order_id]);
    const given = order.parent_id === null ? undefined : byId.get(order.parent_id);
    const parent = given && !own.has(given.order_id) ? place(given, own) : undefined;
    const step = parent ? parent.step + 1 : 0;
    let lane = parent?.lane ?? 0;
    while (taken.has(`${step}/${lane}`)) lane += 1;
    taken.add(`${step}/${lane}`);
    const node = { order, step, lane };
    nodes.set(order.order_id, node);
    if (parent) edges.push({ from: parent.order.order_id, to: order.order_id });
    return node;
  };

  for (const order of orders) place(order, new Set());
  const all = orders.flatMap((order) => nodes.get(order.order_id) ?? []);
  return {
    nodes: all,
    edges,
    steps: Math.max(0, ...all.map(({ step }) => step + 1)),
    lanes: Math.max(0, ...all.map(({ lane }) => lane + 1)),
  };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

export interface ChainDrawing<T extends ChainOrder> {
  readonly boxes: readonly { readonly order: T; readonly box: Box }[];
  /** Paths of the arrows, each ending at its order. */
  readonly arrows: readonly string[];
  readonly width: number;
  readonly height: number;
}

export const BOX_HEIGHT = 92;
const BOX_WIDTH = 208;
const GAP = 56;
const LANE_GAP = 16;
const STACK_GAP = 32;
const GUTTER = 20;

/** From left to right on `width` pixels, or from top to bottom if not even two orders fit side by side. */
export function drawChain<T extends ChainOrder>(orders: readonly T[], width: number): ChainDrawing<T> {
  const layout = chainLayout(orders);
  return width < 2 * BOX_WIDTH + GAP ? stacked(layout, width) : sideBySide(layout);
}

function sideBySide<T extends ChainOrder>({ nodes, edges, steps, lanes }: ChainLayout<T>): ChainDrawing<T> {
  const boxOf = ({ step, lane }: ChainNode<T>): Box => ({
    left: step * (BOX_WIDTH + GAP),
    top: lane * (BOX_HEIGHT + LANE_GAP),
    width: BOX_WIDTH,
  });
  const boxes = nodes.map((node) => ({ order: node.order, box: boxOf(node) }));
  const arrows = pairsOf(boxes, edges).map(([from, to]) => {
    const [x, y] = [from.left + from.width, from.top + BOX_HEIGHT / 2];
    const [toX, toY] = [to.left - 3, to.top + BOX_HEIGHT / 2];
    const middle = (x + toX) / 2;
    return `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
  });
  return {
    ...{ boxes, arrows },
    width: Math.max(0, steps * (BOX_WIDTH + GAP) - GAP),
    height: Math.max(0, lanes * (BOX_HEIGHT + LANE_GAP) - LANE_GAP),
  };
}

/** One below the other by step and lane; an arrow that passes another order uses the gutter on the left. */
function stacked<T extends ChainOrder>({ nodes, edges }: ChainLayout<T>, width: number): ChainDrawing<T> {
  const ordered = [...nodes].sort((one, other) => one.step - other.step || one.lane - other.lane);
  const boxes = ordered.map(({ order }, place) => ({
    order,
    box: { left: GUTTER, top: place * (BOX_HEIGHT + STACK_GAP), width: width - GUTTER },
  }));
  const arrows = pairsOf(boxes, edges).map(([from, to]) => {
    const [bottom, top] = [from.top + BOX_HEIGHT, to.top - 3];
    if (top - bottom < STACK_GAP) return `M${GUTTER + 24} ${bottom}V${top}`;
    return `M${GUTTER} ${from.top + BOX_HEIGHT / 2}H6V${to.top + BOX_HEIGHT / 2}H${GUTTER - 3}`;
  });
  return { boxes, arrows, width, height: Math.max(0, boxes.length * (BOX_HEIGHT + STACK_GAP) - STACK_GAP) };
}

function pairsOf<T extends ChainOrder>(
  boxes: readonly { readonly order: T; readonly box: Box }[],
  edges: readonly ChainEdge[],
): (readonly [Box, Box])[] {
  const byId = new Map(boxes.map(({ order, box }) => [order.order_id, box]));
  return edges.flatMap(({ from, to }) => {
    const [start, end] = [byId.get(from), byId.get(to)];
    return start && end ? [[start, end] as const] : [];
  });
}
