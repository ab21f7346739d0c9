import { createHash } from 'node:crypto';
import { GrowingTree, inclusionPaths, leafHash, rootAbove } from './merkle-tree.js';

const sha256 = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** As RFC 9162 defines it. */
function definedRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0] as Buffer);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.of(1), definedRoot(leaves.slice(0, split)), definedRoot(leaves.slice(split)));
}

function rootOf(leaves: readonly string[]): string {
  const tree = new GrowingTree();
  for (const leaf of leaves) tree.add(leafHash(leaf));
  expect(tree.size).toBe(leaves.length);
  return tree.root().toString('hex');
}

const counts = [...Array.from({ length: 34 }, (_, count) => count), 100, 127, 128, 129];
const leavesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `leaf ${index}`);

describe('a tree', () => {
  it('has the known roots', () => {
    expect(rootOf([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(rootOf([''])).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  });

  it.each(counts)('of %i leaves has the root of the definition, and a path from each leaf to it', (count) => {
    const leaves = leavesOf(count);
    const root = definedRoot(leaves.map((leaf) => Buffer.from(leaf))).toString('hex');
    expect(rootOf(leaves)).toBe(root);
    const pathTo = inclusionPaths(leaves.map(leafHash));
    leaves.forEach((leaf, index) => {
      const inclusion = { leaf: leafHash(leaf), index, size: count, path: pathTo(index) };
      expect(rootAbove(inclusion)?.toString('hex')).toBe(root);
      expect(rootAbove({ ...inclusion, leaf: leafHash('other') })?.toString('hex')).not.toBe(root);
      if (count > 1) expect(rootAbove({ ...inclusion, path: inclusion.path.slice(1) })?.toString('hex')).not.toBe(root);
      for (const wrong of [-1, 0.5, count]) expect(rootAbove({ ...inclusion, index: wrong })).toBeNull();
    });
  });

  it('takes no node for a leaf', () => {
    const [a, b, c, d] = leavesOf(4) as [string, string, string, string];
    const pair = (one: string, other: string): string =>
      Buffer.concat([leafHash(one), leafHash(other)]).toString('latin1');
    expect(rootOf([pair(a, b), pair(c, d)])).not.toBe(rootOf([a, b, c, d]));
    const asLeaf = sha256(Buffer.of(0), Buffer.concat([leafHash(a), leafHash(b)]));
    const path = [inclusionPaths([a, b, c, d].map(leafHash))(0)[1] as Buffer];
    expect(rootAbove({ leaf: asLeaf, index: 0, size: 2, path })?.toString('hex')).not.toBe(rootOf([a, b, c, d]));
  });
});
