import { BOX_HEIGHT, chainLayout, drawChain } from './chain-layout.js';

const order = (order_id: string, parent_id: string | null = null): { order_id: string; parent_id: string | null } => ({
  order_id,
  parent_id,
});

const places = (...orders: ReturnType<typeof order>[]): unknown[] =>
  chainLayout(orders).nodes.map((node) => [node.order.order_id, node.step, node.lane]);

describe('the drawing of a chain', () => {
  it('places an order after its parent, in the same lane', () => {
    expect(places(order('a'), order('b', 'a'), order('c', 'b'))).toEqual([
      ['a', 0, 0],
      ['b', 1, 0],
      ['c', 2, 0],
    ]);
  });

  it('places a second child beside the first', () => {
    const layout = chainLayout([order('a'), order('b', 'a'), order('c', 'a')]);
    expect(layout.nodes.map(({ step, lane }) => [step, lane])).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
    expect(layout.edges).toEqual([
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
    ]);
    expect([layout.steps, layout.lanes]).toEqual([2, 2]);
  });

  it('draws a parent that is listed after its child, or not at all', () => {
    expect(places(order('b', 'a'), order('a'))).toEqual([
      ['b', 1, 0],
      ['a', 0, 0],
    ]);
    expect(places(order('b', 'elsewhere'))).toEqual([['b', 0, 0]]);
  });

  it('terminates for orders that name each other as parents', () => {
    const layout = chainLayout([order('a', 'b'), order('b', 'a'), order('c', 'c')]);
    expect(layout.nodes).toHaveLength(3);
    expect(layout.edges).toHaveLength(1);
  });

  it('is empty without orders', () => {
    expect(chainLayout([])).toEqual({ nodes: [], edges: [], steps: 0, lanes: 0 });
  });

  it('runs from left to right, and from top to bottom on a narrow page', () => {
    const orders = [order('a'), order('b', 'a'), order('c', 'a')];
    const wide = drawChain(orders, 900);
    expect(wide.boxes.map(({ box }) => [box.left, box.top])).toEqual([
      [0, 0],
      [264, 0],
      [264, BOX_HEIGHT + 16],
    ]);
    expect(wide.arrows[0]).toBe('M208 46C234.5 46 234.5 46 261 46');
    const narrow = drawChain(orders, 288);
    expect(narrow.boxes.map(({ box }) => [box.left, box.width])).toEqual([
      [20, 268],
      [20, 268],
      [20, 268],
    ]);
    const [straight, around] = narrow.arrows;
    expect(straight).toBe(`M44 ${BOX_HEIGHT}V${BOX_HEIGHT + 29}`);
    expect(around).toBe('M20 46H6V294H17');
    expect(narrow.height).toBe(3 * BOX_HEIGHT + 64);
  });
});
