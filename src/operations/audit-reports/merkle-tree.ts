import { createHash } from 'node:crypto';

/*
 * The tree of RFC 9162, section 2.1. Leaves and nodes are hashed with different prefixes, so that no node can be passed
 * off as a leaf.
 */

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

function sha256(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function leafHash(leaf: string): Buffer {
  return sha256(leafPrefix, leaf);
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return sha256(nodePrefix, left, right);
}

/** Finds the root of leaves that come one by one, and keeps only the roots of the complete subtrees. */
export class GrowingTree {
  size = 0;
  private readonly subtrees: { readonly size: number; readonly hash: Buffer }[] = [];

  add(leaf: Buffer): void {
    this.size++;
    let last = { size: 1, hash: leaf };
    for (let left = this.subtrees.at(-1); left?.size === last.size; left = this.subtrees.at(-1)) {
      this.subtrees.pop();
      last = { size: 2 * last.size, hash: nodeHash(left.hash, last.hash) };
    }
    this.subtrees.push(last);
  }

  root(): Buffer {
    const [last, ...others] = this.subtrees.map(({ hash }) => hash).reverse();
    return others.reduce((right, left) => nodeHash(left, right), last ?? sha256());
  }
}

/** The hashes that lead from the leaf at an index to the root, from the bottom up. */
export function inclusionPaths(leaves: readonly Buffer[]): (index: number) => Buffer[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) level = above(level);
  return (index) =>
    levels.flatMap((level, height) => {
      const at = Math.floor(index / 2 ** height);
      return level[at % 2 === 0 ? at + 1 : at - 1] ?? [];
    });
}

/** A last node without a sibling is its own parent. */
function above(level: readonly Buffer[]): Buffer[] {
  const parents: Buffer[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = level.slice(at, at + 2) as [Buffer, Buffer?];
    parents.push(right ? nodeHash(left, right) : left);
  }
  return parents;
}

export interface Inclusion {
  readonly leaf: Buffer;
  readonly index: number;
  /** Number of leaves of the tree. */
  readonly size: number;
  readonly path: readonly Buffer[];
}

/** The root to which the path leads (RFC 9162, section 2.1.3.2); null if it does not fit the place in the tree. */
export function rootAbove({ leaf, index, size, path }: Inclusion): Buffer | null {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return null;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}
