/** What the drawing of a chain needs of an order. */
export interface ChainOrder {
  readonly order_id: string;
  readonly parent_id: string | null;
}

export interface ChainNode<T extends ChainOrder> {
  readonly order: T;
  /** Steps from an order without a parent. */
  readonly step: number;
  /** Lane beside others of the same step. */
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
 * Places the orders of a transaction, given by time of creation: an order is one step after its parent, in the
 * lane of its parent if that is free there, else in the next free one. A parent that is not in the list, or one that
 * would close a circle, is no parent.
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
